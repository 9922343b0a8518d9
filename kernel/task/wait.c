/* SPDX-License-Identifier: Apache-2.0 */
#include "task/wait.h"

#include "record/event.h"
#include "remote/request.h"
#include "sched/dispatch.h"
#include "task/rights.h"
#include "time/time.h"

takt_error wait_begin(enum task_wait wait, takt_time timeout, enum takt_record_object class,
                      takt_id id) {
    MARK(wait_begin);
    struct task *task = task_self();
    struct core *core = task->context.core;
    if (timeout != TAKT_FOR_EVER) {
        timer_start(&core->timers, &task->wait_timer, time_add(time_not_before_now(), timeout));
    }
    if (RIGHTS && wait != WAIT_HELD) {
        suspension_begin(task);
    }
    task->wait = wait;
    task->wait_class = class;
    task->wait_id = id;
    task->state = TASK_WAITING;
    ready_remove(&core->ready, task);
    event_wait(core, task->id, class, task->join_turn, id);
    dispatch();
    return task->wait_result;
}

void wait_end_here(struct task *task) {
    struct core *core = task->context.core;
    timer_stop(&core->timers, &task->wait_timer);
    task->state = TASK_READY;
    if (RIGHTS) {
        suspension_end(task);
    }
    if (!task->suspended) {
        ready_insert(&core->ready, task);
    }
    event_wake(core, task->id, task->leave_turn, (uint8_t)-task->wait_result);
}

bool wait_end_one(struct task *task, takt_error result) {
    task->wait_result = result;
    if (RIGHTS) {
        task->wait_woken = (uint32_t)arch_ticks();
    }
    if (task_is_here(task)) {
        wait_end_here(task);
        return true;
    }
    lock_acquire(&task->lock);
    request_post_and_release(task, REQUEST_WAKE);
    return false;
}

void wait_end(struct task *task, takt_error result) {
    if (wait_end_one(task, result)) {
        dispatch();
    }
}
