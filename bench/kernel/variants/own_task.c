/* SPDX-License-Identifier: Apache-2.0 */
/* How a task learns its ID where no register has it: `own_task` "generic" and "fast". */
#include "sched/own_task.h"

/* Which core this is. Interrupts disabled. */
static const struct core *own_core(void) {
    const struct core *core = arch_core();
#if OWN_TASK == OWN_TASK_GENERIC
    /* A core that knows only its number searches for its description. Bound: the cores. */
    for (uint32_t i = 0; i < takt_core_count; i++) {
        if (takt_cores[i]->hart == core->hart) {
            return takt_cores[i];
        }
    }
#endif
    return core;
}

/* The core must not change between the two looks, nor the task that runs on it. */
takt_id own_task(void) {
    unsigned long interrupts = arch_interrupts_disable();
    const struct core *core = own_core();
    takt_id id = core->nesting == 0 ? core->running->id : TAKT_ID_NONE;
    arch_interrupts_restore(interrupts);
    return id;
}
