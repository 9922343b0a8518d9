/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that wait for an object, in its order: the part that all objects share. It stands first in
 * an object, and its lock guards the whole object.
 *
 * Who unlinks a task ends its wait: docs/design/services.md. */
#ifndef KERNEL_WAITERS_H
#define KERNEL_WAITERS_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/types.h>

#include "lock.h"

struct task;

struct waiters {
    struct lock lock;
    /* Guarded by the lock. */
    struct task *first, *last;
    /* Counts the changes of the queue, and of a semaphore's count, so that the record tells their
     * order although each core writes its own. */
    uint8_t turn;
    /* Null, or constant: called with the lock held when a task has left or changed its place, so
     * that another may be the first, without a call on the object; unlinks those that need not wait
     * any more, and returns them as a list for wait_end_each. */
    struct task *(*shrunk)(struct waiters *waiters);
};

/* With the lock held, interrupts disabled. */

/* Links the running task. Behind all that wait: O(1); by priority, FIFO among equals: bounded by
 * the tasks that wait. */
void waiters_join(struct waiters *waiters, bool by_priority);

/* Unlinks a task that is linked: its wait is now the caller's to end. */
void waiters_remove(struct waiters *waiters, struct task *task);

/* Unlinks and returns the first task, null if none waits. */
struct task *waiters_take(struct waiters *waiters);

/* Unlinks all, and returns them in their order as a list for wait_end_each. Bounded by the tasks
 * that wait. */
struct task *waiters_take_all(struct waiters *waiters);

/* Without the lock, interrupts disabled, on the task's core: gives it the priority, and the place
 * that goes with it; true if that is another, which then is recorded. Bounded by the tasks that
 * wait. The caller dispatches, here and below. */
bool waiters_change_priority(struct waiters *waiters, struct task *task, uint8_t priority);

/* Without the lock, interrupts disabled: unlinks a task, unless somebody has; true if it did. */
bool waiters_cancel(struct waiters *waiters, struct task *task);

#endif
