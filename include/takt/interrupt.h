/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of devices. uITRON 4.0 section 4.9: a service routine of the description (ATT_ISR) is
 * `void routine(intptr_t argument)`. It runs above all tasks of its core and is interrupted only by
 * routines of higher priority and by the kernel. It may call every service whose context is "any";
 * those that wait answer TAKT_E_CTX. It uses no floating point.
 *
 * Every service here takes bounded time and never waits. Context: any, also with the CPU locked. */
#ifndef INCLUDE_TAKT_INTERRUPT_H
#define INCLUDE_TAKT_INTERRUPT_H

#include <takt/types.h>

/* Lets the interrupt come; one that waited comes now (ena_int). Errors: TAKT_E_ID. */
takt_error takt_interrupt_enable(takt_id interrupt);

/* Keeps the interrupt away; a request of the device waits in the controller (dis_int). At most one
 * that a core has been given before still runs. Not counted. Where a task has a deadline: only for
 * tasks that `controls` the interrupt. Errors: TAKT_E_ID; TAKT_E_ILUSE: not declared. */
takt_error takt_interrupt_disable(takt_id interrupt);

/* Whether a request waits in the controller, disabled or not (prb_int).
 * Errors: TAKT_E_ID; TAKT_E_PAR: null. */
takt_error takt_interrupt_pending(takt_id interrupt, bool *pending);

/* Delivers the interrupt to another core, soon after; of several calls the last one counts. A
 * routine that runs ends first, where it is; no request is lost. Bounds of the analysis are those
 * of the described core. Errors: TAKT_E_ID; TAKT_E_PAR: no such core; TAKT_E_CTX: the caller holds
 * a spin lock. */
takt_error takt_interrupt_set_core(takt_id interrupt, unsigned core);

/* The core that it is delivered to, or on its way to.
 * Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_CTX: as above. */
takt_error takt_interrupt_core(takt_id interrupt, unsigned *core);

/* Where the registers of the interrupt's device appear (the first of its `reg`).
 * Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_OBJ: the description names a source, no device. */
takt_error takt_interrupt_registers(takt_id interrupt, volatile void **registers);

#endif
