/* SPDX-License-Identifier: Apache-2.0 */
#include "task/wait_cancel.h"

#include "object/class.h"
#include "task/wait.h"
#include "time/time.h"

/* Takes back a sleep; false if somebody has woken the task. */
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
    case WAIT_HELD:
        return class_cancel_wait(task, granted);
    default: /* a delay is the task's own */
        return true;
    }
}

/* Takes back a wake-up that was posted; false if none is yet. */
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
    /* The record gets how the task left the queue, the task how its wait ended. */
    task->wait_result = result;
    wait_end_here(task);
    task->wait_result = granted ? TAKT_OK : result;
    return !granted;
}

void wait_expired(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, wait_timer));
    if (SUSPENSIONS) {
        task->wait_woken = (uint32_t)time_to_ticks(timer->time); /* this may be later */
    }
    wait_break(task, task->wait == WAIT_DELAY ? TAKT_OK : TAKT_E_TMOUT);
}

/* A wait whose end is on its way has ended. */
takt_error wait_release(struct task *task, intptr_t unused) {
    if (SUSPENSIONS) {
        task->wait_woken = (uint32_t)arch_ticks();
    }
    bool is_released = task->state == TASK_WAITING && wait_break(task, TAKT_E_RLWAI);
    return is_released ? TAKT_OK : TAKT_E_OBJ;
}
