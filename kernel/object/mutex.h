/* SPDX-License-Identifier: Apache-2.0 */
/* What one task holds at a time: docs/design/services.md, "Mutexes". */
#ifndef KERNEL_MUTEX_H
#define KERNEL_MUTEX_H

#include <takt/mutex.h>

#include "config.h"
#include "object/waiters.h"

enum takt_mutex_protocol { TAKT_CEILING, TAKT_INHERIT, TAKT_MSRP, TAKT_PLAIN };

struct takt_mutex_config {
    const char *name;
    enum takt_mutex_protocol protocol;
    uint8_t ceiling;  /* as described, or the highest of the users' described priorities */
    bool by_priority; /* the order of waiting tasks; else FIFO */
    struct takt_users users;
};

struct mutex {
    /* Guarded by the lock. Where all users are of one core, only that core writes these, with
     * interrupts disabled; so it may read them without the lock, and write the holder while nobody
     * waits. */
    struct waiters waiters; /* TAKT_MSRP: those that spin */
    struct task *holder;

    struct mutex *next_held; /* in the holder's list; owned by the holder's core; not TAKT_MSRP */
} __attribute__((aligned(64)));

extern struct mutex takt_mutexes[];                         /* by ID - 1 (configurator) */
extern const struct takt_mutex_config takt_mutex_configs[]; /* the same */
extern const uint32_t takt_mutex_count;

static inline const struct takt_mutex_config *mutex_config(const struct mutex *mutex) {
    return &takt_mutex_configs[mutex - takt_mutexes];
}

static inline takt_id mutex_id(const struct mutex *mutex) {
    return (takt_id)(mutex - takt_mutexes) + 1;
}

/* --- On the core of the task, interrupts disabled; none of them dispatches ------------------- */

/* Gives back the mutex that the task has locked last; false if it holds none. Bound: as
 * mutex_propagate_priority. */
bool mutex_give_back_one(struct task *task);

/* Takes a waiting task out of the queue of its mutex, unless somebody has; returns whether it did.
 * The priority that the holder inherited from it falls away. */
bool mutex_cancel(struct task *task);

/* Returns the task that holds the mutex, TAKT_ID_NONE: nobody. At the end of the run. */
takt_id mutex_holder(takt_id id);

#endif
