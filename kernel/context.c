/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/context.h. */
#include <takt/context.h>

#include "atomic.h"
#include "core.h"
#include "task/rights.h"
#include "time/time.h"

takt_error takt_cpu_lock(void) {
    struct task *task = task_self();
    if (task->id != TAKT_ID_NONE && !right_given(task->config->cpu_lock)) {
        return refused(TAKT_E_ILUSE);
    }
    unsigned long interrupts = arch_interrupts_disable();
    if (!task->cpu_locked) { /* not counted */
        lock_watch(task);
        task->cpu_locked = true;
        task->context.core->lock_interrupts = interrupts;
    }
    return TAKT_OK;
}

takt_error takt_cpu_unlock(void) {
    struct task *task = task_self();
    if (task->cpu_locked && task->context.core->user_spinlock == 0) {
        lock_watch_end(task->context.core);
        task->cpu_locked = false;
        arch_interrupts_restore(task->context.core->lock_interrupts);
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

uint32_t takt_cores_used(void) {
    return takt_core_count;
}

/* How long a core has idled, at a moment between call and return. A core that stops to idle reads
 * the clock before its mark says so: a look in between adds these few cycles, which the total then
 * does not have. docs/design/services.md, "Start, end, and looking". */
static uint64_t idle_ticks(const struct core *core) {
    uint64_t mark = __atomic_load_n(&core->idle_mark, __ATOMIC_RELAXED);
    if ((mark & IDLE_MARK_IDLES) == 0) {
        return mark >> 1;
    }
    uint64_t now = arch_ticks_between();
    /* Acquire: pairs with the release in begin (dispatch.c), so that the total below has in it what
     * ended before this mark was set. */
    uint64_t later = atomic_load_acquire(&core->idle_mark);
    if (later == mark) { /* it has idled all the time */
        return (uint64_t)((int64_t)mark >> 1) + now;
    }
    if ((later & IDLE_MARK_IDLES) == 0) {
        return later >> 1;
    }
    /* It has stopped, and begun again: what it had idled when it stopped. */
    return __atomic_load_n(&core->record->idle, __ATOMIC_RELAXED);
}

takt_error takt_core_idle_time(uint32_t core, takt_time *idle) {
    if (core >= takt_core_count || idle == 0) {
        return refused(TAKT_E_PAR);
    }
    /* Relaxed: the calls of one word are in one order, so a later call never gives less. */
    uint64_t ticks =
        arch_atomic_max(&takt_cores[core]->idle_reported, idle_ticks(takt_cores[core]));
    *idle = (takt_time)time_from_ticks(ticks);
    return TAKT_OK;
}
