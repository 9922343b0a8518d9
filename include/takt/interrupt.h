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

#ifdef __cplusplus
extern "C" {
#endif

/* Enables the interrupt; a pending request is delivered now (ena_int). Errors: TAKT_E_ID. */
takt_error takt_interrupt_enable(takt_id interrupt);

/* Disables the interrupt; a request of the device stays pending in the controller (dis_int). At
 * most one call of the routine follows, for a request that a core has already received. Disabling
 * is not counted. In a system with deadlines only tasks that declare the interrupt in `controls`
 * may disable it.
 * Errors: TAKT_E_ID; TAKT_E_ILUSE: not declared. */
takt_error takt_interrupt_disable(takt_id interrupt);

/* Gives whether a request is pending in the controller, whether or not the interrupt is enabled
 * (prb_int). Errors: TAKT_E_ID; TAKT_E_PAR: null. */
takt_error takt_interrupt_pending(takt_id interrupt, bool *pending);

/* Delivers the interrupt to another core from some later time on; of several calls the last one
 * counts. A running routine ends on its core first; no request is lost. The bounds of the analysis
 * hold for the described core.
 * Errors: TAKT_E_ID; TAKT_E_PAR: no such core; TAKT_E_CTX: the caller holds a spin lock. */
takt_error takt_interrupt_set_core(takt_id interrupt, unsigned core);

/* Gives the core to which the interrupt is delivered, or to which it is being moved.
 * Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_CTX: the caller holds a spin lock. */
takt_error takt_interrupt_core(takt_id interrupt, unsigned *core);

/* Gives the address at which the registers of the interrupt's device are mapped: the first entry of
 * the device's `reg`.
 * Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_OBJ: the description names a source instead of a
 * device. */
takt_error takt_interrupt_registers(takt_id interrupt, volatile void **registers);

#ifdef __cplusplus
}
#endif

#endif
