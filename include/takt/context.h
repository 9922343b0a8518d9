/* SPDX-License-Identifier: Apache-2.0 */
/* Where the caller runs, what it may do there, and how it locks the CPU. uITRON 4.0 section 4.7,
 * and TOPPERS/FMP's get_pid. */
#ifndef INCLUDE_TAKT_CONTEXT_H
#define INCLUDE_TAKT_CONTEXT_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* takt_cpu_lock disables the interrupts of this core: nothing else runs there until
 * takt_cpu_unlock, or until the job ends, or until the handler ends, after which interrupts are as
 * before it (loc_cpu, unl_cpu). Locks are not counted. Unlocking does nothing while a spin lock is
 * held. While the CPU is locked all services return TAKT_E_CTX except those declared here,
 * takt_spin_lock_release, takt_task_self, takt_task_exit, takt_time_now, takt_calendar_now,
 * interrupts of devices, buffers, the console, shutdown and panic.
 * The caller decides how long the CPU is locked: this time adds to the latency of every interrupt,
 * and to the longest section of the kernel that the analysis counts.
 * Context: any. Errors: none. */
TAKT_MUST_USE takt_error takt_cpu_lock(void);
takt_error takt_cpu_unlock(void);

/* Returns whether the CPU is locked (sns_loc). Context: any. */
bool takt_cpu_locked(void);

/* Returns whether the caller is a handler or hook, and not a task (sns_ctx). Context: any. */
bool takt_context_is_handler(void);

/* Returns whether services that wait are refused here: in a handler, with the CPU locked, or with
 * dispatch disabled (sns_dpn). Context: any. */
bool takt_dispatch_pending(void);

/* Returns the number of the core that runs the caller (get_pid). Context: any. */
uint32_t takt_core_self(void);

/* Returns the number of cores that the system uses; they are numbered from 0. Context: any. */
uint32_t takt_cores_used(void);

/* Gives the time for which a core has had nothing to run, without its interrupts, in nanoseconds
 * since the core's start, which is about a millisecond before time 0. The call is wait-free, and
 * works for any core.
 * Context: any. Errors: TAKT_E_PAR: no such core, null. */
takt_error takt_core_idle_time(uint32_t core, takt_time *idle);

#ifdef __cplusplus
}
#endif

#endif
