/* SPDX-License-Identifier: Apache-2.0 */
/* All tasks and mutexes here are of this core. */
#include "object/mutex_inherit.h"

#include "object/mutex.h"
#include "object/raise.h"
#include "sched/task_place.h"

/* Returns the highest priority of those that wait, one below all if none does. Bound: their number.
 */
static unsigned highest_waiter(const struct mutex *mutex) {
    unsigned highest = READY_LEVELS + 1;
    for (const struct task *task = mutex->waiters.first; task != 0; task = task->wait_next) {
        highest = task->priority < highest ? task->priority : highest;
    }
    return highest;
}

/* Returns the priority that the mutex lends its holder, one below all if none. Bound: those that
 * wait. */
static unsigned lent_by(const struct mutex *mutex) {
    const struct takt_mutex_config *config = mutex_config(mutex);
    if (config->protocol == TAKT_PLAIN) {
        return READY_LEVELS + 1;
    }
    return config->protocol == TAKT_CEILING ? config->ceiling : highest_waiter(mutex);
}

/* Returns the highest priority of the task's base, of what its mutexes lend it, and of the messages
 * that raise it. Bound: the mutexes that it holds, each with those that wait for it. */
static uint8_t due_priority(const struct task *task) {
    unsigned due = task->base_priority, sent = raise_due(task);
    due = sent < due ? sent : due;
    const struct mutex *mutex = takt_mutex_count > 0 ? task->mutexes : 0;
    for (; mutex != 0; mutex = mutex->next_held) {
        unsigned lent = lent_by(mutex);
        due = lent < due ? lent : due;
    }
    return (uint8_t)due;
}

/* Returns the mutex in whose queue the task stands, null: in none. */
static const struct mutex *waited_for(const struct task *task) {
    bool waits = takt_mutex_count > 0 && task->state == TASK_WAITING && task->wait_linked &&
                 task->wait_class == TAKT_OBJECT_MUTEX;
    return waits ? (const struct mutex *)task->waits_for : 0;
}

/* Returns the task that inherits this one's priority, null: none does. */
static struct task *heir_of(const struct task *task) {
    const struct mutex *mutex = waited_for(task);
    return mutex != 0 && mutex_config(mutex)->protocol == TAKT_INHERIT ? mutex->holder : 0;
}

/* Ends also where tasks wait in a circle: a priority goes round once, and then is what is due. */
void mutex_propagate_priority(struct task *task) {
    while (task != 0) {
        uint8_t due = due_priority(task);
        if (due == task->priority) {
            return;
        }
        /* It ran before its equals, or lets who ran before them wait. */
        task_place(task, due, true);
        task = heir_of(task);
    }
}

void mutex_rebase(struct task *task, uint8_t base) {
    task->base_priority = base;
    if (due_priority(task) == base) {
        task_place(task, base, false);
        task = heir_of(task);
    }
    if (task != 0) { /* mostly nobody inherits */
        mutex_propagate_priority(task);
    }
}

#if RAISES
void mutex_raise(struct task *task) {
    if (task->state == TASK_DORMANT) {
        return; /* its next job gets what is due when it begins */
    }
    uint8_t due = due_priority(task);
    if (due != task->priority) {
        task_place(task, due, due > task->priority);
        mutex_propagate_priority(heir_of(task));
    }
}
#endif

bool mutex_violates_ceiling(const struct task *task, uint8_t priority) {
    const struct mutex *waited = waited_for(task);
    if (waited != 0 && mutex_config(waited)->protocol == TAKT_CEILING &&
        priority < mutex_config(waited)->ceiling) {
        return true;
    }
    for (const struct mutex *mutex = task->mutexes; mutex != 0; mutex = mutex->next_held) {
        const struct takt_mutex_config *config = mutex_config(mutex);
        if (config->protocol == TAKT_CEILING && priority < config->ceiling) {
            return true;
        }
    }
    return false;
}
