/* SPDX-License-Identifier: Apache-2.0 */
/* How a task learns its ID: by the way that the description names. docs/design/kernel.md, "Own
 * task". All give TAKT_ID_NONE in a handler and before time 0. */
#ifndef KERNEL_OWN_TASK_H
#define KERNEL_OWN_TASK_H

#include "core.h"
#include "kernel_choice.h"

#define OWN_TASK_GENERIC  1
#define OWN_TASK_FAST     2
#define OWN_TASK_REGISTER 3

#if OWN_TASK == OWN_TASK_REGISTER

/* A register has the running code's own storage. */
static inline takt_id own_task(void) {
    return task_self()->id;
}

#else

/* Which core this is. Interrupts disabled. */
static inline const struct core *own_core(void) {
    const struct core *core = arch_core();
#if OWN_TASK == OWN_TASK_GENERIC
    /* As where a core knows no more of itself than its number: searched. Bound: the cores. */
    for (uint32_t i = 0; i < takt_core_count; i++) {
        if (takt_cores[i]->hart == core->hart) {
            return takt_cores[i];
        }
    }
#endif
    return core;
}

/* The core must not change between the two looks, nor the task that runs on it. */
static inline takt_id own_task(void) {
    unsigned long interrupts = arch_interrupts_disable();
    const struct core *core = own_core();
    takt_id id = core->nesting == 0 ? core->running->id : TAKT_ID_NONE;
    arch_interrupts_restore(interrupts);
    return id;
}

#endif

#endif
