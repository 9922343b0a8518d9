/* SPDX-License-Identifier: Apache-2.0 */
/* What one task holds at a time: docs/design/services.md, "Mutexes". */
#ifndef KERNEL_MUTEX_H
#define KERNEL_MUTEX_H

#include <takt/mutex.h>

#include "config.h"
#include "object/waiters.h"

struct mutex {
    /* Guarded by the lock. Where all users are of one core, only that core writes these, with
     * interrupts disabled; so it may read them without the lock. */
    struct waiters waiters; /* TAKT_MSRP: those that spin */
    struct task *holder;

    struct mutex *next_held; /* in the holder's list; owned by the holder's core; not TAKT_MSRP */
} __attribute__((aligned(64)));

extern struct mutex takt_mutexes[]; /* by ID - 1 (configurator) */

static inline const struct takt_mutex_config *mutex_config(const struct mutex *mutex) {
    return &takt_mutex_configs[mutex - takt_mutexes];
}

static inline takt_id mutex_id(const struct mutex *mutex) {
    return (takt_id)(mutex - takt_mutexes) + 1;
}

/* --- On the core of the task, interrupts disabled; none of them dispatches ------------------- */

/* Gives back all that the task holds, and its priority falls to its base.
 * Bound: the mutexes that it uses, each as mutex_propagate_priority. */
void mutexes_give_back(struct task *task);

/* Gives back the latest that the task has locked; it holds one. Bound: as mutex_propagate_priority.
 */
void mutex_give_back_one(struct task *task);

/* Takes a task out of the queue of a mutex, unless somebody has; what it lent falls away. */
bool mutex_cancel(struct task *task);

/* --- Priorities (mutex_propagate_priority.c); as above
 * ----------------------------------------------------- */

/* The highest of the task's base and of what its mutexes lend it. Bound: the mutexes that it holds,
 * each with those that wait for it. */
uint8_t mutex_due_priority(const struct task *task);

/* Gives the task its due priority, then the holder of what it waits for, and so on; null: nobody.
 * Bound: the tasks of the core, each with its mutexes and those that wait for them. */
void mutex_propagate_priority(struct task *task);

/* Gives the task another base priority; behind others of it, unless a mutex keeps the task higher.
 * Bound: as above. */
void mutex_rebase(struct task *task, uint8_t base);

/* Whether the task holds or waits for a mutex whose ceiling is below the priority.
 * Bound: the mutexes that it holds. */
bool mutex_violates_ceiling(const struct task *task, uint8_t priority);

/* --- Across cores (mutex_msrp.c) ---------------------------------------------------------------
 */

/* The services; the task is a user. Context: task. */
takt_error mutex_msrp_lock(struct mutex *mutex, takt_time timeout);
void mutex_msrp_unlock(struct mutex *mutex);

/* Hands what the task holds to the first one that spins. Dispatch stays disabled, for the caller to
 * enable. Interrupts disabled. */
void mutex_msrp_give_back(struct task *task);

#endif
