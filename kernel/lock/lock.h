/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a task or an object. Which spin lock that is, the description says: its own, that of
 * a core, or the only one there is. With one core there is none: nobody else is there to ask for it
 * while interrupts are disabled.
 *
 * Held with interrupts disabled, never two at a time (docs/design/kernel.md), for a bounded
 * number of instructions. lock_acquire and lock_release are in core.h: a core's place to wait in is
 * in its block. */
#ifndef KERNEL_LOCK_H
#define KERNEL_LOCK_H

#include "lock/spinlock.h"

#define GRANULARITY_GIANT  1
#define GRANULARITY_CORE   2
#define GRANULARITY_OBJECT 3

#if SINGLE_CORE

struct lock {};

#elif GRANULARITY == GRANULARITY_OBJECT

struct lock {
    struct spinlock own;
};

static inline struct spinlock *lock_spinlock(struct lock *lock) {
    return &lock->own;
}

#elif GRANULARITY == GRANULARITY_CORE

struct lock {
    uint32_t core; /* whose lock; constant after core_init, wherever the task migrates */
};

extern struct spinlock *const takt_core_locks[]; /* by core (configurator) */

static inline struct spinlock *lock_spinlock(struct lock *lock) {
    return takt_core_locks[lock->core];
}

#else

struct lock {};

extern struct spinlock lock_giant;

static inline struct spinlock *lock_spinlock(struct lock *lock) {
    return &lock_giant;
}

#endif

/* Makes the lock that of a core, where these have locks. Before the epoch. */
static inline void lock_init(struct lock *lock, uint32_t core) {
#if GRANULARITY == GRANULARITY_CORE && !SINGLE_CORE
    lock->core = core;
#endif
}

#endif
