/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of which one call may end many waits: flags, barriers, reader-writer locks, message
 * buffers. The waits end in the call's section; the tasks are woken one in each section with
 * interrupts disabled: docs/design/sections.md. */
#ifndef KERNEL_SERVED_H
#define KERNEL_SERVED_H

#include "object/waiters.h"
#include "remote/post.h"
#include "task/wait.h"

/* The head of such an object. */
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

/* --- With the lock held ----------------------------------------------------------------------- */

/* Returns the first task whose wait has not ended, null if none waits. */
static inline struct task *served_first_waiting(const struct served *served) {
    return served->granted != 0 ? served->granted->wait_next : served->waiters.first;
}

/* Returns whether the wait of a linked task has ended, and its wake-up is to come. */
static inline bool served_is_granted(const struct served *served, const struct task *task) {
    return task->wait_generation != served->generation;
}

/* Ends the waits of all tasks that are linked. O(1). */
void served_grant_all(struct served *served);

/* Ends the wait of a linked task that still waits, and puts it behind those whose waits have ended.
 * O(1). */
void served_grant(struct served *served, struct task *task);

/* Unlinks and returns the first task whose wait has ended, null if there is none. `*more`: there is
 * another. */
struct task *served_take(struct served *served, bool *more);

/* --- Without the lock, interrupts disabled ---------------------------------------------------- */

/* Wakes the first task that a call has unlinked (null: none) and those behind it, one in each
 * section with interrupts disabled. `interrupts`: their state before the call; if they were
 * disabled, as in a handler, all are woken in one section. If the caller's job ends meanwhile, or a
 * higher task of its core is awake, served_carry_on does the rest. Dispatches. Bound: the tasks of
 * the system. */
void served_wake_each(struct served *served, struct task *first, unsigned long interrupts);

/* Does so if there are `more` than the first; else wakes that one, if there is one. */
static inline void served_wake(struct waiters *waiters, struct task *first, bool more,
                               unsigned long interrupts) {
    if (more) {
        served_wake_each((struct served *)waiters, first, interrupts); /* stands first there */
    } else if (first != 0) {
        wait_end(first, TAKT_OK);
    }
}

/* Wakes the first task without a dispatch, and lets interrupts wake those behind it if there are
 * `more`. */
void served_wake_later(struct served *served, struct task *first, bool more);

/* Lets interrupts wake the rest, one task in each: the first of them on this core, then each on
 * that of the task woken before. */
void served_carry_on(struct served *served, struct core *core);

#endif
