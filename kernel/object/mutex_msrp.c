/* SPDX-License-Identifier: Apache-2.0 */
/* A task that holds a mutex or spins for one keeps its core, and so holds and spins run to their
 * end.
 */
#include "object/mutex_msrp.h"

#include "atomic.h"
#include "core.h"
#include "record/event.h"
#include "sched/dispatch.h"
#include "task/rights.h"
#include "time/time.h"

/* Disables dispatch for the task: it cannot be preempted, nor ended; a call to end it waits. */
static void keep_core(struct task *task, struct mutex *mutex) {
    struct core *core = task->context.core;
    task->keeps_core = mutex;
    task->kept_before = core->dispatch_disabled;
    set_dispatch_disabled(task, true);
    event_dispatch_disable(core, task->id);
}

static void leave_core(struct task *task) {
    task->keeps_core = 0;
    if (!task->kept_before) {
        task_enable_dispatch(task);
    }
}

/* Takes the mutex if it is free; else joins its queue if it may. Interrupts disabled. */
static bool mutex_msrp_take(struct mutex *mutex, struct task *task, bool may_spin) {
    lock_acquire(&mutex->waiters.lock);
    bool is_free = mutex->holder == 0;
    if (is_free) {
        mutex->holder = task;
    } else if (may_spin) {
        task->spins = 1;
        waiters_join(&mutex->waiters, false);
    }
    lock_release(&mutex->waiters.lock);
    return is_free;
}

/* Leaves the queue, unless the mutex has been handed over; returns whether it did. */
static bool give_up(struct mutex *mutex, struct task *task) {
    unsigned long interrupts = arch_interrupts_disable();
    bool granted, was_linked = waiters_cancel(&mutex->waiters, task, &granted);
    if (was_linked) {
        task->spins = 0;
    }
    arch_interrupts_restore(interrupts);
    return was_linked;
}

/* Spins until the mutex is handed over; false if that takes longer than `end`. Interrupts are
 * enabled. Bound: one hold of each other core, as each has one task that holds or spins. */
static bool spin(struct mutex *mutex, struct task *task, takt_time end) {
    /* Acquire: pairs with the release in mutex_msrp_give_back. */
    while (atomic_load_acquire(&task->spins) != 0) {
        if (end != TAKT_FOR_EVER && takt_time_now() > end && give_up(mutex, task)) {
            return false;
        }
        kernel_spin();
    }
    return true;
}

takt_error mutex_msrp_lock(struct mutex *mutex, takt_time timeout) {
    struct task *task = task_self();
    /* One tick more, so that no wait is too short. */
    takt_time start = takt_time_now() + (takt_time)time_from_ticks(1);
    takt_time end = timeout == TAKT_FOR_EVER ? TAKT_FOR_EVER : time_add(start, timeout);
    unsigned long interrupts = arch_interrupts_disable();
    keep_core(task, mutex);
    bool holds = mutex_msrp_take(mutex, task, timeout != 0);
    if (holds || timeout != 0) {
        hold_request(&mutex_config(mutex)->users, task);
    }
    if (!holds && timeout != 0) {
        /* The analysis charges the spin beside the task's wcet. */
        struct execution_pause pause;
        execution_pause(core_here(), &pause);
        arch_interrupts_restore(interrupts);
        holds = spin(mutex, task, end);
        interrupts = arch_interrupts_disable();
        execution_resume(core_here(), &pause);
    }
    if (holds) {
        hold_begin(&mutex_config(mutex)->users, task);
        event_mutex_lock(core_here(), task->id, mutex_id(mutex));
    } else {
        leave_core(task);
    }
    arch_interrupts_restore(interrupts);
    return holds ? TAKT_OK : TAKT_E_TMOUT;
}

void mutex_msrp_give_back(struct task *task) {
    struct mutex *mutex = task->keeps_core;
    if (mutex == 0) {
        return;
    }
    task->keeps_core = 0;
    hold_end(&mutex_config(mutex)->users, task);
    event_mutex_unlock(core_here(), task->id, mutex_id(mutex));
    lock_acquire(&mutex->waiters.lock);
    struct task *next = waiters_take(&mutex->waiters);
    mutex->holder = next;
    lock_release(&mutex->waiters.lock);
    if (next != 0) {
        /* Release: what the mutex guards; pairs with the acquire in spin. */
        atomic_store_release(&next->spins, 0);
    }
}

void mutex_msrp_unlock(struct mutex *mutex) {
    struct task *task = task_self();
    unsigned long interrupts = arch_interrupts_disable();
    mutex_msrp_give_back(task);
    leave_core(task);
    arch_interrupts_restore(interrupts);
}
