/* SPDX-License-Identifier: Apache-2.0 */
#include "task/wait.h"

#include "record/event.h"
#include "remote/request.h"
#include "sched/dispatch.h"
#include "task/rights.h"
#include "time/time.h"

/* Lets the wait of the running task end after `timeout`. */
static RARE void limit_wait(takt_time timeout) {
    struct task *task = task_self();
    struct timers *timers = &task->context.core->timers;
    timer_start(timers, &task->wait_timer, time_add(time_not_before_now(), timeout));
}

/* What is called here in some cases only comes last, so that nothing is kept for it. */
takt_error wait_begin(enum task_wait wait, takt_time timeout, enum takt_record_object class,
                      takt_id id) {
    MARK(wait_begin);
    struct task *task = task_self();
    task->wait = wait;
    task->wait_class = class;
    task->wait_id = id;
    task->state = TASK_WAITING;
    ready_remove(ready_queue_of(task->context.core, task), task);
    event_wait(task->context.core, task->id, class, task->join_turn, id);
    if (timeout != TAKT_FOR_EVER) {
        limit_wait(timeout);
    }
    if (wait != WAIT_HELD) {
        suspension_begin(task); /* after the timeout's begin: it is surely suspended no longer */
    }
    dispatch();
    return task_self()->wait_result;
}

/* The timer comes last, as above: most waits have none. */
void wait_end_here(struct task *task) {
    struct core *core = task->context.core;
    task->state = TASK_READY;
    if (!task->suspended) {
        ready_insert(ready_queue_of(core, task), task);
    }
    event_wake(core, task->id, task->leave_turn, (uint8_t)-task->wait_result);
    suspension_end(task);
    timer_stop(&core->timers, &task->wait_timer);
}

bool wait_end_one(struct task *task, takt_error result) {
    task->wait_result = result;
    if (SUSPENSIONS) {
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
