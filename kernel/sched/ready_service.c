/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/task.h that look at or turn the ready tasks of one priority. A core
 * answers for its own queue; of another core's queue it is asked by a remote call, which names the
 * idle storage of that core: that never leaves it. */
#include "core.h"
#include "record/event.h"
#include "remote/remote_call.h"
#include "sched/dispatch.h"
#include "task/job.h"
#include "task/rights.h"

/* Moves the first ready task of a priority behind the others of it; on that core. */
static void rotate_here(struct core *core, unsigned priority) {
    if (core->ready.levels >> (priority - 1) & 1) {
        takt_id first = core->ready.level[priority - 1].first->id;
        ready_rotate(&core->ready, priority);
        event_priority(core, first, 0, false, false, (uint8_t)priority);
    }
}

static takt_error rotate(struct task *idle, intptr_t priority) {
    rotate_here(idle->context.core, (unsigned)priority);
    return TAKT_OK;
}

/* The answer is the number plus this, so that it is neither an error nor REMOTE_CALL_LATER or
 * _OPEN.
 */
enum { READY_COUNT_BASE = 3 };

/* Bound: the ready tasks of that priority. */
static takt_error count_ready(struct task *idle, intptr_t priority) {
    const struct ready *ready = &idle->context.core->ready;
    takt_error count = READY_COUNT_BASE;
    if (ready->levels & 1ull << (priority - 1)) {
        for (const struct task *task = ready->level[priority - 1].first; task != 0;
             task = task->ready_next) {
            count++;
        }
    }
    return count;
}

/* Counts in a handler, which may ask of its own core only. */
static takt_error count_ready_here(unsigned level) {
    unsigned long interrupts = arch_interrupts_disable();
    takt_error count = count_ready(core_here()->idle, (intptr_t)level);
    arch_interrupts_restore(interrupts);
    return count;
}

/* TAKT_PRIORITY_SELF stands for the base priority of the running task; 0: a wrong priority. */
static unsigned wanted_priority(unsigned priority) {
    const struct task *self = task_self();
    if (__builtin_expect(priority == TAKT_PRIORITY_SELF, 1)) {
        return self->id != TAKT_ID_NONE ? self->base_priority : 0;
    }
    return priority <= READY_LEVELS ? priority : 0;
}

/* Turns the queue in other cases than that of takt_task_rotate. */
static APART takt_error rotate_and_dispatch(unsigned level, unsigned long interrupts) {
    rotate_here(core_here(), level);
    dispatch();
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

STRAIGHT takt_error takt_task_rotate(unsigned priority) {
    if (cpu_locked()) {
        return refused(TAKT_E_CTX);
    }
    unsigned level = wanted_priority(priority);
    if (level == 0) {
        return refused(TAKT_E_PAR);
    }
    if (!right_unrestricted()) {
        return refused(TAKT_E_ILUSE);
    }
    unsigned long interrupts = arch_interrupts_disable();
    struct task *self = task_self();
    struct core *core = self->context.core;
    struct ready_level *queue = &core->ready.level[level - 1];
    /* The caller runs, so its priority is the highest of all that are ready. If it is the first of
     * it, the next one shall run. A frame has other queues. */
    bool turns = !FRAMES && interrupts != 0 && self->priority == level && queue->first == self &&
                 self->ready_next != 0 && !core->dispatch_disabled;
    if (!turns) {
        return rotate_and_dispatch(level, interrupts);
    }
    struct task *next = ready_rotate_level(queue);
    event_priority(core, self->id, 0, false, false, (uint8_t)level);
    return dispatch_last(core, self, next);
}

takt_error takt_task_rotate_on(uint32_t core, unsigned priority) {
    unsigned level = wanted_priority(priority);
    if (core >= takt_core_count || level == 0) {
        return refused(TAKT_E_PAR);
    }
    if (task_self()->id == TAKT_ID_NONE) { /* also a handler may ask for its own core */
        return core == core_here()->index ? takt_task_rotate(level) : refused(TAKT_E_CTX);
    }
    if (!right_unrestricted()) {
        return refused(TAKT_E_ILUSE);
    }
    return remote_call_result(
        remote_call(takt_cores[core]->idle, rotate, (intptr_t)level, (intptr_t)level), __func__);
}

takt_error takt_task_ready_count(uint32_t core, unsigned priority, unsigned *count) {
    unsigned level = wanted_priority(priority);
    if (core >= takt_core_count || level == 0 || count == 0) {
        return refused(TAKT_E_PAR);
    }
    bool is_handler = task_self()->id == TAKT_ID_NONE;
    if (is_handler && (cpu_locked() || core != core_here()->index)) {
        return refused(TAKT_E_CTX);
    }
    if (!right_unrestricted()) { /* as the section grows */
        return refused(TAKT_E_ILUSE);
    }
    takt_error result = is_handler ? count_ready_here(level)
                                   : remote_call(takt_cores[core]->idle, count_ready,
                                                 (intptr_t)level, (intptr_t)level);
    if (result < READY_COUNT_BASE) {
        return remote_call_result(result, __func__);
    }
    *count = (unsigned)(result - READY_COUNT_BASE);
    return TAKT_OK;
}
