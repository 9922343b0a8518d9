/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting and being woken: the part that all waits share. */
#include "task/wait.h"

#include "core.h"
#include "object/mutex.h"
#include "object/semaphore.h"
#include "remote/inbox.h"
#include "remote/request.h"
#include "sched/dispatch.h"
#include "task/rights.h"
#include "time/time.h"

/* Whether the wait is for what another task holds: the analysis bounds it by the holds. */
static bool waits_for_holder(enum takt_record_object class, takt_id id) {
    return class == TAKT_OBJECT_MUTEX ||
           (class == TAKT_OBJECT_SEMAPHORE && takt_semaphore_configs[id - 1].users.count > 0);
}

takt_error wait_begin(enum task_wait wait, takt_time timeout, enum takt_record_object class,
                      takt_id id) {
    MARK(wait_begin);
    struct task *task = task_self();
    struct core *core = task->context.core;
    if (timeout != TAKT_FOR_EVER) {
        timer_start(&core->timers, &task->wait_timer, time_add(time_not_before_now(), timeout));
    }
    if (RIGHTS && !waits_for_holder(class, id)) {
        suspension_begin(task);
    }
    task->wait = wait;
    task->wait_class = class;
    task->wait_id = id;
    task->state = TASK_WAITING;
    ready_remove(&core->ready, task);
    record_event(core, TAKT_EVENT_WAIT, task->id,
                 (uint32_t) class << 24 | (uint32_t)task->join_turn << 16 | id);
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
    record_event(core, TAKT_EVENT_WAKE, task->id,
                 (uint32_t)task->leave_turn << 16 | (uint8_t)-task->wait_result);
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

/* Takes back a sleep; false when somebody has woken the task. */
static bool sleep_cancel(struct task *task) {
    lock_acquire(&task->lock);
    bool was_sleeping = task->sleeping;
    task->sleeping = false;
    lock_release(&task->lock);
    return was_sleeping;
}

bool wait_cancel(struct task *task, bool *granted) {
    *granted = false;
    switch (task->wait) {
    case WAIT_SLEEP:
        return sleep_cancel(task);
    case WAIT_OBJECT:
        return waiters_cancel(task->waits_for, task, granted);
    case WAIT_MUTEX:
        return takt_mutex_count > 0 && mutex_cancel(task);
    default: /* a delay is the task's own */
        return true;
    }
}

/* Takes a wake-up that was posted; false: none was, yet. */
static bool take_wake_up(struct task *task) {
    lock_acquire(&task->lock);
    bool posted = task->requests & REQUEST_WAKE;
    task->requests &= (uint8_t)~REQUEST_WAKE;
    lock_release(&task->lock);
    return posted;
}

bool wait_drop(struct task *task) {
    timer_stop(&task->context.core->timers, &task->wait_timer);
    bool granted, waited = wait_cancel(task, &granted);
    if (!waited) {
        while (!take_wake_up(task)) {
            kernel_spin();
        }
    }
    return waited;
}

bool wait_break(struct task *task, takt_error result) {
    bool granted;
    if (!wait_cancel(task, &granted)) {
        return false;
    }
    /* The record says how it left the queue, the task what became of its wait. */
    task->wait_result = result;
    wait_end_here(task);
    task->wait_result = granted ? TAKT_OK : result;
    return !granted;
}

/* The wait timer: a delay is over, or a wait has taken too long, unless its end is on the way. */
void wait_expired(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, wait_timer));
    if (RIGHTS) {
        task->wait_woken = (uint32_t)time_to_ticks(timer->time); /* this may be later */
    }
    wait_break(task, task->wait == WAIT_DELAY ? TAKT_OK : TAKT_E_TMOUT);
}

/* A wait whose end is on its way has ended. */
takt_error wait_release(struct task *task, intptr_t unused) {
    task->wait_woken = (uint32_t)arch_ticks();
    bool is_released = task->state == TASK_WAITING && wait_break(task, TAKT_E_RLWAI);
    return is_released ? TAKT_OK : TAKT_E_OBJ;
}
