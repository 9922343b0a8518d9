/* SPDX-License-Identifier: Apache-2.0 */
/* Where the caller runs and what it may do there, and a core of its own for a moment. uITRON 4.0
 * section 4.7, and TOPPERS/FMP's get_pid. */
#ifndef INCLUDE_TAKT_CONTEXT_H
#define INCLUDE_TAKT_CONTEXT_H

#include <takt/types.h>

/* Disables the interrupts of this core: nothing else runs there until takt_cpu_unlock, or until the
 * job ends (loc_cpu, unl_cpu). Or until the handler ends; its interrupts are as before then. Not
 * counted; unlocking does nothing while a spin lock is held. Meanwhile all services answer
 * TAKT_E_CTX but those here, takt_spin_lock_release, takt_task_self, takt_task_exit, takt_time_now,
 * takt_calendar_now, interrupts of devices, buffers, the console, shutdown and panic. How long is
 * in the caller's hands: it adds to the latency of every interrupt and to the longest section of
 * the kernel that the analysis counts. Context: any. Errors: none. */
TAKT_MUST_USE takt_error takt_cpu_lock(void);
takt_error takt_cpu_unlock(void);

/* Whether the CPU is locked (sns_loc). Context: any. */
bool takt_cpu_locked(void);

/* Whether the caller is a handler or hook, not a task (sns_ctx). Context: any. */
bool takt_context_is_handler(void);

/* Whether services that wait are refused here: in a handler, with the CPU locked, with dispatch
 * disabled (sns_dpn). Context: any. */
bool takt_dispatch_pending(void);

/* The core that runs the caller (get_pid). Context: any. */
uint32_t takt_core_self(void);

/* How many cores the system has: they are 0 to one less. Context: any. */
uint32_t takt_cores_used(void);

/* How long a core had nothing to run, up to now, interrupts excluded; counted from the core's
 * start, about a millisecond before time 0. Wait-free, of any core.
 * Context: any. Errors: TAKT_E_PAR: no such core, null. */
takt_error takt_core_idle_time(uint32_t core, takt_time *idle);

#endif
