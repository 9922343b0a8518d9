/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that wait for an object, in its order: the part that all objects share. It stands first in
 * an object, and its lock guards the whole object.
 *
 * Who unlinks a task ends its wait: docs/design/services.md. No section here grows with the number
 * of tasks that wait: docs/design/sections.md. */
#ifndef KERNEL_WAITERS_H
#define KERNEL_WAITERS_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/types.h>

#include "lock/lock.h"

struct task;

/* For a queue by priority: the last waiting task of each priority, so that a task finds its place
 * in O(1). */
struct waiters_levels {
    uint64_t taken;        /* bit p-1: a task of priority p waits by priority */
    struct task *last[64]; /* by priority - 1; valid where the bit is set */
};

struct waiters {
    struct lock lock;
    /* Guarded by the lock. */
    struct task *first, *last;
    bool senders_wait; /* of a queue, while anybody waits: they send, else they receive */
    struct waiters_levels *levels; /* constant; null: the object's order is FIFO */
    /* Counts the changes of the queue, and of a semaphore's count, so that the record has their
     * order although each core writes its own. */
    uint8_t turn;
    /* Null, or constant, and then this is the head of a `struct served` (served.h). Called with the
     * lock held when the queue has changed; unlinks and returns the first task that need not wait
     * any more, null if there is none. `*more`: there is another behind it. */
    struct task *(*next)(struct waiters *waiters, bool *more);
};

/* --- With the lock held, interrupts disabled; all O(1) ---------------------------------------- */

/* Counts a change; returns the turn, 0 where no record is kept. */
static inline uint8_t waiters_turn(struct waiters *waiters) {
    return EVENTS ? ++waiters->turn : 0;
}

/* Keeps a task's turn, where a record is kept. */
static inline void waiters_note_turn(struct waiters *waiters, uint8_t *turn) {
    if (EVENTS) {
        *turn = ++waiters->turn;
    }
}

/* Links the running task behind all that wait or, by priority, behind those of its own or a higher
 * one. */
void waiters_join(struct waiters *waiters, bool by_priority);

/* Unlinks a task that is linked: its wait is now the caller's to end. */
void waiters_remove(struct waiters *waiters, struct task *task);

/* Unlinks and returns the first task, null if none waits. Not of a `struct served`. */
struct task *waiters_take(struct waiters *waiters);

/* For waiters.c and served.c: links, unlinks a task, and nothing else; forgets that it is the last
 * of its priority. */
void waiters_link(struct waiters *waiters, struct task *task, struct task *previous);
void waiters_unlink(struct waiters *waiters, struct task *task);
void waiters_forget_level(struct waiters *waiters, const struct task *task);

/* --- Without the lock, interrupts disabled ---------------------------------------------------- */

/* Gives the task the priority and the place that goes with it, on the task's core; returns whether
 * that is another, which then is recorded. O(1). The caller dispatches, here and below. */
bool waiters_change_priority(struct waiters *waiters, struct task *task, uint8_t priority);

/* Unlinks a task, unless somebody has; returns whether it did. `*granted`: the wait had ended
 * before. */
bool waiters_cancel(struct waiters *waiters, struct task *task, bool *granted);

#endif
