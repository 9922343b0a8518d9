/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/mutex.h, and mutexes whose users are all of one core: all of it runs
 * there, with interrupts disabled. */
#include "object/mutex.h"

#include "atomic.h"
#include "core.h"
#include "object/mutex_inherit.h"
#include "object/mutex_msrp.h"
#include "object/object.h"
#include "record/event.h"
#include "sched/dispatch.h"
#include "task/rights.h"

/* Changes the holder of a mutex for which nobody waits. Relaxed: one word, and takt_mutex_state of
 * another core reads what it was at some moment. */
static void set_holder(struct mutex *mutex, struct task *task) {
    atomic_store_relaxed(&mutex->holder, task);
}

static void mutex_hold(struct mutex *mutex, struct task *task) {
    mutex->next_held = task->mutexes;
    task->mutexes = mutex;
    hold_begin(&mutex_config(mutex)->users, task);
    event_mutex_lock(core_here(), task->id, mutex_id(mutex));
}

/* Lets the task hold a mutex that is free, for which nobody waits: it lends no more than its
 * ceiling. */
static void mutex_take(struct mutex *mutex, struct task *task) {
    const struct takt_mutex_config *config = mutex_config(mutex);
    set_holder(mutex, task);
    mutex_hold(mutex, task);
    if (config->protocol == TAKT_CEILING && config->ceiling < task->priority) {
        mutex_propagate_priority(task);
    }
}

static takt_error mutex_wait(struct mutex *mutex, takt_time timeout) {
    const struct takt_mutex_config *config = mutex_config(mutex);
    lock_acquire(&mutex->waiters.lock);
    waiters_join(&mutex->waiters, config->by_priority);
    lock_release(&mutex->waiters.lock);
    if (config->protocol == TAKT_INHERIT) {
        mutex_propagate_priority(mutex->holder);
    }
    return wait_begin(WAIT_HELD, timeout, TAKT_OBJECT_MUTEX, mutex_id(mutex));
}

static takt_error mutex_lock(struct mutex *mutex, takt_time timeout, const char *service) {
    const struct takt_mutex_config *config = mutex_config(mutex);
    struct task *task = task_self();
    if (config->protocol == TAKT_CEILING && task->base_priority < config->ceiling) {
        return record_refusal(TAKT_E_ILUSE, service);
    }
    if (mutex->holder == task) {
        return record_refusal(TAKT_E_ILUSE, service);
    }
    if (mutex->holder != 0 && timeout == 0) {
        return TAKT_E_TMOUT;
    }
    hold_request(&config->users, task);
    if (mutex->holder == 0) {
        mutex_take(mutex, task);
        return TAKT_OK;
    }
    return mutex_wait(mutex, timeout);
}

takt_error takt_mutex_lock_for(takt_id id, takt_time timeout) {
    takt_error error = service_check(id, takt_mutex_count, timeout >= 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct mutex *mutex = &takt_mutexes[id - 1];
    const struct takt_mutex_config *config = mutex_config(mutex);
    bool waits = timeout != 0 && config->protocol != TAKT_MSRP;
    if (task_self()->id == TAKT_ID_NONE || (waits && !wait_allowed())) {
        return refused(TAKT_E_CTX);
    }
    if (users_find(&config->users, task_self()->id) == 0) {
        return refused(TAKT_E_ILUSE);
    }
    if (config->protocol == TAKT_MSRP) {
        return task_self()->keeps_core != 0 ? refused(TAKT_E_ILUSE)
                                            : mutex_msrp_lock(mutex, timeout);
    }
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = mutex_lock(mutex, timeout, __func__);
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_mutex_lock(takt_id mutex) {
    return takt_mutex_lock_for(mutex, TAKT_FOR_EVER);
}

takt_error takt_mutex_try(takt_id mutex) {
    return takt_mutex_lock_for(mutex, 0);
}

/* Bound: the mutexes that the task holds; mostly the first. */
static void mutex_forget(struct task *task, const struct mutex *mutex) {
    struct mutex **link = &task->mutexes;
    while (*link != mutex) {
        link = &(*link)->next_held;
    }
    *link = mutex->next_held;
}

/* Hands the mutex to the first that waits, which then is ready. The caller sees to the priority of
 * the task that held it. */
static void mutex_hand_over(struct mutex *mutex) {
    struct task *holder = mutex->holder;
    event_mutex_unlock(core_here(), holder->id, mutex_id(mutex));
    hold_end(&mutex_config(mutex)->users, holder);
    mutex_forget(holder, mutex);
    if (mutex->waiters.first == 0) {
        set_holder(mutex, 0);
        return;
    }
    lock_acquire(&mutex->waiters.lock);
    struct task *next = waiters_take(&mutex->waiters);
    mutex->holder = next;
    lock_release(&mutex->waiters.lock);
    mutex_hold(mutex, next);
    /* What those lend that wait behind it, or the ceiling; it stands in no queue now. */
    mutex_propagate_priority(next);
    wait_end_one(next, TAKT_OK);
}

/* Takes from the task what a mutex has lent it that it holds no more. Without any loan its priority
 * is its base. */
static void return_loan(struct task *task) {
    if (task->priority != task->base_priority) {
        mutex_propagate_priority(task);
    }
}

takt_error takt_mutex_unlock(takt_id id) {
    takt_error error = service_check(id, takt_mutex_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct task *task = task_self();
    if (task->id == TAKT_ID_NONE) {
        return refused(TAKT_E_CTX);
    }
    struct mutex *mutex = &takt_mutexes[id - 1];
    if (mutex_config(mutex)->protocol == TAKT_MSRP) {
        if (task->keeps_core != mutex) {
            return refused(TAKT_E_ILUSE);
        }
        mutex_msrp_unlock(mutex);
        return TAKT_OK;
    }
    unsigned long interrupts = arch_interrupts_disable();
    /* Relaxed: another core may hold it and hand it on, but never to this task or from it. */
    bool holds = __atomic_load_n(&mutex->holder, __ATOMIC_RELAXED) == task;
    if (holds) {
        mutex_hand_over(mutex);
        return_loan(task);
        dispatch();
    }
    arch_interrupts_restore(interrupts);
    return holds ? TAKT_OK : refused(TAKT_E_ILUSE);
}

bool mutex_cancel(struct task *task) {
    struct mutex *mutex = (struct mutex *)task->waits_for;
    bool granted, was_linked = waiters_cancel(&mutex->waiters, task, &granted);
    if (was_linked && mutex_config(mutex)->protocol == TAKT_INHERIT) {
        mutex_propagate_priority(mutex->holder);
    }
    return was_linked;
}

bool mutex_give_back_one(struct task *task) {
    if (task->mutexes == 0) {
        return false;
    }
    mutex_hand_over(task->mutexes);
    return_loan(task);
    return true;
}

takt_id mutex_holder(takt_id id) {
    const struct task *holder = takt_mutexes[id - 1].holder;
    return holder != 0 ? holder->id : TAKT_ID_NONE;
}

takt_error takt_mutex_state(takt_id id, struct takt_mutex_state *state) {
    takt_error error = service_check(id, takt_mutex_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct mutex *mutex = &takt_mutexes[id - 1];
    unsigned long interrupts = object_lock(&mutex->waiters);
    /* Relaxed: see set_holder. */
    const struct task *holder = __atomic_load_n(&mutex->holder, __ATOMIC_RELAXED);
    state->holder = holder != 0 ? holder->id : TAKT_ID_NONE;
    state->first = object_first_waiting(&mutex->waiters);
    object_unlock(&mutex->waiters, interrupts);
    return TAKT_OK;
}
