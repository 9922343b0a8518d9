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
#include "remote/post.h"

struct task;

/* Of a queue by priority: the last waiting task of each priority, so that a task finds its place
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
    /* Counts the changes of the queue, and of a semaphore's count, so that the record tells their
     * order although each core writes its own. */
    uint8_t turn;
    /* Null, or constant, and then this is the head of a `struct served`: called with the lock held;
     * unlinks and returns the first task that need not wait any more, null: there is none. `*more`:
     * there is another behind it. */
    struct task *(*next)(struct waiters *waiters, bool *more);
};

/* The head of an object of which one call may end many waits. */
struct served {
    struct waiters waiters;
    /* Guarded by the lock: the waits of the tasks from the first to this one have ended, and only
     * their wake-ups are to come; null: of none. The generation tells them from those that wait. */
    struct task *granted;
    uint32_t generation;
    uint32_t waiting; /* linked tasks whose waits have not ended */
    bool linked;      /* `post` is in a core's inbox, which carries the wake-ups on */
    struct post post;
};

/* --- With the lock held, interrupts disabled; all O(1) ---------------------------------------- */

/* Links the running task behind all that wait or, by priority, behind those of its own or a higher
 * one. */
void waiters_join(struct waiters *waiters, bool by_priority);

/* Unlinks a task that is linked: its wait is now the caller's to end. */
void waiters_remove(struct waiters *waiters, struct task *task);

/* Unlinks and returns the first task, null if none waits. Not of a `struct
 * served`. */
struct task *waiters_take(struct waiters *waiters);

/* Of waiters.c and served.c: a task's place alone, and that of its priority. */
void waiters_link(struct waiters *waiters, struct task *task, struct task *previous);
void waiters_unlink(struct waiters *waiters, struct task *task);
void waiters_forget_level(struct waiters *waiters, const struct task *task);

/* --- Objects of which one call may end many waits (served.c); with the lock held ---------------
 */

/* The first task whose wait has not ended, null: none waits. */
struct task *served_first_waiting(const struct served *served);

/* Whether the wait of a linked task has ended, and its wake-up is to come. */
bool served_is_granted(const struct served *served, const struct task *task);

/* Ends the waits of all tasks that are linked. O(1). */
void served_grant_all(struct served *served);

/* Ends the wait of a linked task that still waits, and puts it behind those whose waits have ended.
 * O(1). */
void served_grant(struct served *served, struct task *task);

/* Unlinks and returns the first task whose wait has ended, null: there is none. */
struct task *served_take(struct served *served, bool *more);

/* --- Without the lock, interrupts disabled ---------------------------------------------------- */

/* On the task's core: gives it the priority, and the place that goes with it; true if that is
 * another, which then is recorded. O(1). The caller dispatches, here and below. */
bool waiters_change_priority(struct waiters *waiters, struct task *task, uint8_t priority);

/* Unlinks a task, unless somebody has; true if it did. `*granted`: its wait had ended before. */
bool waiters_cancel(struct waiters *waiters, struct task *task, bool *granted);

/* Wakes the first task that a call has unlinked (null: none), and if there are `more` those behind
 * it, one in each section with interrupts disabled. `interrupts`: as the caller found them, so a
 * caller that had them disabled, as a handler, wakes all in one section. If the caller's job ends
 * meanwhile, or a higher task of its core is awake, served_carry_on does the rest. Dispatches.
 * Bound: the tasks of the system. */
void served_wake(struct waiters *waiters, struct task *first, bool more, unsigned long interrupts);

/* Where interrupts wake tasks behind this one, which is about to be woken: on its core. */
struct core *served_core(const struct task *task);

/* Lets interrupts wake the rest, one task in each: the first of them on this core, then each on
 * that of the task woken before. */
void served_carry_on(struct served *served, struct core *core);

#endif
