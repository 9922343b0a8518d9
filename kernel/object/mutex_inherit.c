/* SPDX-License-Identifier: Apache-2.0 */
/* The priorities that mutexes lend. All tasks and mutexes here are of this core. */
#include "core.h"
#include "object/mutex.h"
#include "sched/task_place.h"
#include "task/job.h"

/* The highest priority of those that wait, below all if none does. Bound: their number. */
static unsigned highest_waiter(const struct mutex *mutex) {
    unsigned highest = READY_LEVELS + 1;
    for (const struct task *task = mutex->waiters.first; task != 0; task = task->wait_next) {
        highest = task->priority < highest ? task->priority : highest;
    }
    return highest;
}

/* The priority that the mutex lends its holder, below all if none. Bound: those that wait. */
static unsigned lent_by(const struct mutex *mutex) {
    const struct takt_mutex_config *config = mutex_config(mutex);
    if (config->protocol == TAKT_PLAIN) {
        return READY_LEVELS + 1;
    }
    return config->protocol == TAKT_CEILING ? config->ceiling : highest_waiter(mutex);
}

uint8_t mutex_due_priority(const struct task *task) {
    unsigned due = task->base_priority;
    const struct mutex *mutex = takt_mutex_count > 0 ? task->mutexes : 0;
    for (; mutex != 0; mutex = mutex->next_held) {
        unsigned lent = lent_by(mutex);
        due = lent < due ? lent : due;
    }
    return (uint8_t)due;
}

/* Whom the task lends its priority to, null: nobody. */
static struct task *borrower(const struct task *task) {
    if (takt_mutex_count == 0 || task->state != TASK_WAITING || task->wait != WAIT_MUTEX ||
        !task->wait_linked) {
        return 0;
    }
    const struct mutex *mutex = (const struct mutex *)task->waits_for;
    return mutex_config(mutex)->protocol == TAKT_INHERIT ? mutex->holder : 0;
}

/* Ends also where tasks wait in a circle: a priority goes round once, and then is what is due. */
void mutex_propagate_priority(struct task *task) {
    while (task != 0) {
        uint8_t due = mutex_due_priority(task);
        if (due == task->priority) {
            return;
        }
        /* It ran before its equals, or lets who ran before them wait. */
        task_place(task, due, true);
        task = borrower(task);
    }
}

void mutex_rebase(struct task *task, uint8_t base) {
    task->base_priority = base;
    if (mutex_due_priority(task) == base) {
        task_place(task, base, false);
        task = borrower(task);
    }
    mutex_propagate_priority(task);
}

bool mutex_violates_ceiling(const struct task *task, uint8_t priority) {
    const struct mutex *waited =
        task->state == TASK_WAITING && task->wait == WAIT_MUTEX && task->wait_linked
            ? (const struct mutex *)task->waits_for
            : 0;
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
