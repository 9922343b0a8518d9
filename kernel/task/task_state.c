/* SPDX-License-Identifier: Apache-2.0 */
/* The look at a task, which its owner answers. */
#include <takt/state.h>

#include "core.h"
#include "object/waiters.h"
#include "remote/remote_call.h"
#include "task/job.h"
#include "task/rights.h"
#include "time/time.h"

static int run_state_of(const struct task *task) {
    if (task->state == TASK_DORMANT) {
        return TAKT_TASK_IS_DORMANT;
    }
    if (task->state == TASK_WAITING) {
        return task->suspended ? TAKT_TASK_IS_WAITING_SUSPENDED : TAKT_TASK_IS_WAITING;
    }
    bool runs = task->context.core->running == task;
    return task->suspended ? TAKT_TASK_IS_SUSPENDED
           : runs          ? TAKT_TASK_IS_RUNNING
                           : TAKT_TASK_IS_READY;
}

/* No task waits for a spin lock, so takt/state.h does not name the number that it would have. */
enum { TAKT_WAIT_SPIN_LOCK = 13 };

#define NUMBERED(class)                                                                            \
    _Static_assert((int)TAKT_WAIT_##class - (int)TAKT_OBJECT_##class ==                            \
                       (int)TAKT_WAIT_SEMAPHORE - (int)TAKT_OBJECT_SEMAPHORE,                      \
                   "waits are numbered as the record's classes of objects");
TAKT_OBJECT_CLASSES(NUMBERED)

static int wait_kind_of(const struct task *task) {
    switch (task->wait) {
    case WAIT_SLEEP:
        return TAKT_WAIT_SLEEP;
    case WAIT_DELAY:
        return TAKT_WAIT_DELAY;
    default:
        return TAKT_WAIT_SEMAPHORE - TAKT_OBJECT_SEMAPHORE + (int)task->wait_class;
    }
}

static void describe_wait(const struct task *task, struct takt_task_state *state) {
    if (task->state == TASK_WAITING) {
        state->waits_for = wait_kind_of(task);
        state->wait_object = task->wait_id;
        if (task->wait == WAIT_OBJECT) {
            lock_acquire(&task->waits_for->lock);
            state->sends = task->wait_linked && task->waits_for->senders_wait;
            lock_release(&task->waits_for->lock);
        }
        if (task->wait_timer.place != 0) {
            state->wait_left = time_left_until(task->wait_timer.time);
        }
    }
}

static takt_error describe_task(struct task *task, intptr_t found) {
    struct takt_task_state *state = (struct takt_task_state *)found;
    bool is_dormant = job_none(task);
    *state = (struct takt_task_state){
        .is = run_state_of(task), .core = core_here()->index, .wait_left = TAKT_FOR_EVER};
    describe_wait(task, state);
    if (!is_dormant) {
        state->priority = task->priority;
        state->base_priority = task->base_priority;
        state->release = task->release;
        state->execution = (takt_time)time_from_ticks(task->execution);
    }
    lock_acquire(&task->lock);
    state->activations = task->queue_count;
    state->wakeups = task->wakeups;
    lock_release(&task->lock);
    return TAKT_OK;
}

takt_error takt_task_state(takt_id id, struct takt_task_state *state) {
    if (!task_id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (state == 0) {
        return refused(TAKT_E_PAR);
    }
    /* On its own core the look costs the caller's time only. */
    if (!task_is_here(takt_tasks[id - 1]) && !control_given(TAKT_CONTROL_OBSERVE, id)) {
        return refused(TAKT_E_ILUSE);
    }
    /* Another core's answer comes to the caller's block, not to its stack: it may be ended before.
     * Such a late one is not mixed with what its next job finds here. */
    struct takt_task_state here = {.is = -1}, *found = &task_self()->found;
    takt_error result =
        remote_call(takt_tasks[id - 1], describe_task, (intptr_t)&here, (intptr_t)found);
    if (result == TAKT_OK) {
        *state = here.is != -1 ? here : *found;
    }
    return remote_call_result(result, __func__);
}
