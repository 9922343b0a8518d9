/* SPDX-License-Identifier: Apache-2.0 */
/* Entries from arch (trap.c), interrupts disabled. kernel_device is of interrupt/interrupt.h. */
#ifndef KERNEL_ENTRY_H
#define KERNEL_ENTRY_H

#include "core.h"

/* Around every interrupt; `enter` returns the ticks at which it began, `leave` the context that
 * should run next: what was interrupted, if that was a service routine. */
uint64_t kernel_interrupt_enter(struct core *core);
struct context *kernel_interrupt_leave(struct core *core, struct context *interrupted);

void kernel_timer(struct core *core, uint64_t ticks);
void kernel_ipi(struct core *core);
#if REGULATED
void kernel_overflow(struct core *core); /* of a counter of memory traffic */
#endif

#endif
