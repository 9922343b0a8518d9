/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of devices: docs/design/interrupts.md. */
#ifndef KERNEL_INTERRUPT_H
#define KERNEL_INTERRUPT_H

#include <takt/interrupt.h>

#include "core.h"

/* What the boot finds of an interrupt (arch/riscv64/interrupts.c): constant after that, read by any
 * core. */
struct interrupt_source {
    uint32_t number;
    bool edge;                         /* a rising edge, not a high level */
    uint64_t device_base, device_size; /* physical; 0: the description names no device */
    volatile void *registers;
} __attribute__((aligned(64)));

/* Among what the interrupt's core alone touches, while nobody moves it. */
struct interrupt {
    /* Constant after the boot (interrupt_register). */
    uint32_t source; /* the number of its `interrupt_source` */
    takt_id id;
    const struct takt_interrupt_config *config;
    struct takt_record_interrupt *record;

    /* Owned by the core that it is delivered to, interrupts disabled. */
    bool claimed; /* and not complete */
    bool leaves;  /* when it is complete, somebody wants it elsewhere */
    struct interrupt *claimed_next;
    uint64_t latest; /* ticks at which its routine began last; 0: never */
    /* What the record has in ns, in ticks. */
    uint64_t distance_min; /* UINT64_MAX: none yet */
    uint64_t execution_max, execution_surely;

    /* Guarded by `lock`. */
    struct lock lock;
    uint32_t core, wanted;
    bool linked; /* in an inbox, or `leaves` */

    struct post post;
} __attribute__((aligned(64)));

extern struct interrupt_source takt_interrupt_sources[]; /* by ID - 1 (configurator) */
extern struct interrupt *const takt_interrupts[];        /* the same */

/* Prepares an interrupt when its source is known, at the boot; false when its source is another's,
 * too. */
bool interrupt_register(uint32_t index);

/* Serves what devices request of this core; called in an interrupt. */
void kernel_device(struct core *core);

#endif
