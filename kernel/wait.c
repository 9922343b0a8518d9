/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting and being woken: the part that all waits share. */
#include "core.h"
#include "semaphore.h"
#include "time.h"

takt_error wait_begin(enum task_wait wait, takt_time timeout, takt_id semaphore) {
    struct task *task = task_self();
    struct core *core = task->context.core;
    if (timeout != WAIT_FOR_EVER) {
        /* The time is that of the clock's last tick: one more, so that no wait is too short. */
        takt_time start = takt_time_now() + (takt_time)time_from_ticks(1) + 1;
        timer_start(&core->timers, &task->wait_timer, time_add(start, timeout));
    }
    if (!task->config->may_wait) {
        record_of(task)->undeclared_waits++;
    }
    task->wait = wait;
    task->state = TASK_WAITING;
    ready_remove_first(&core->ready, task);
    record_event(core, TAKT_EVENT_WAIT, task->id, semaphore);
    dispatch();
    return task->wait_result;
}

void wait_end_here(struct task *task) {
    struct core *core = task->context.core;
    timer_stop(&core->timers, &task->wait_timer);
    task->state = TASK_READY;
    ready_insert(&core->ready, task);
    record_event(core, TAKT_EVENT_WAKE, task->id, 0);
}

void wait_end(struct task *task, takt_error result) {
    struct core *core = task->context.core;
    task->wait_result = result;
    if (core == core_here()) {
        wait_end_here(task);
        dispatch();
    } else {
        lock_acquire(&task->lock);
        inbox_post_and_release(task, REQUEST_WAKE);
    }
}

/* Takes back a sleep; false when somebody has woken the task. */
static bool sleep_cancel(struct task *task) {
    lock_acquire(&task->lock);
    bool was_sleeping = task->sleeping;
    task->sleeping = false;
    lock_release(&task->lock);
    return was_sleeping;
}

/* The wait timer: a delay is over, or a wait has taken too long, unless its end is on the way. */
void wait_expired(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, wait_timer));
    switch (task->wait) {
    case WAIT_DELAY:
        task->wait_result = TAKT_OK;
        break;
    case WAIT_SLEEP:
        if (!sleep_cancel(task)) {
            return;
        }
        task->wait_result = TAKT_E_TMOUT;
        break;
    case WAIT_SEMAPHORE:
        if (!semaphore_cancel(task->wait_semaphore, task)) {
            return;
        }
        task->wait_result = TAKT_E_TMOUT;
        break;
    }
    wait_end_here(task);
}
