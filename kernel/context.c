/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/context.h. */
#include <takt/context.h>

#include "core.h"
#include "time.h"

takt_error takt_cpu_lock(void) {
    struct task *task = task_self();
    if (task->id == TAKT_ID_NONE) {
        return TAKT_E_CTX;
    }
    arch_interrupts_disable();
    task->cpu_locked = true;
    return TAKT_OK;
}

takt_error takt_cpu_unlock(void) {
    struct task *task = task_self();
    if (task->id == TAKT_ID_NONE) {
        return TAKT_E_CTX;
    }
    if (cpu_locked() && task->context.core->spin_lock == 0) {
        task->cpu_locked = false;
        arch_interrupts_enable();
    }
    return TAKT_OK;
}

bool takt_cpu_locked(void) {
    return cpu_locked();
}

bool takt_context_is_handler(void) {
    return task_self()->id == TAKT_ID_NONE;
}

bool takt_dispatch_pending(void) {
    return !wait_allowed();
}

uint32_t takt_core_self(void) {
    return core_here()->index;
}

takt_error takt_core_idle_time(uint32_t core, takt_time *idle) {
    if (core >= takt_core_count || idle == 0) {
        return TAKT_E_PAR;
    }
    /* One word says all: relaxed. */
    uint64_t mark = __atomic_load_n(&takt_cores[core]->idle_mark, __ATOMIC_RELAXED);
    uint64_t ticks = (uint64_t)((int64_t)mark >> 1) + (mark & 1 ? arch_ticks() : 0);
    *idle = (takt_time)time_from_ticks(ticks);
    return TAKT_OK;
}
