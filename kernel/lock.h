/* SPDX-License-Identifier: Apache-2.0 */
/* The ticket lock: FIFO, so that the wait is at most (cores - 1) critical sections.
 *
 * Held with interrupts disabled, never two at a time (docs/design/kernel.md), for a bounded
 * number of instructions. */
#ifndef KERNEL_LOCK_H
#define KERNEL_LOCK_H

#include <stdint.h>

struct lock {
    uint32_t next;    /* the next ticket; taken by lock_acquire */
    uint32_t serving; /* the ticket that holds the lock; written by its holder only */
};

/* One turn of every spin loop: parks this core when the machine is being stopped. */
void kernel_spin(void);

/* Waits until the ticket is served, and records how long. Bound: the holders before us. */
void lock_wait(struct lock *lock, uint32_t ticket);

static inline void lock_acquire(struct lock *lock) {
    uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
    /* Acquire: pairs with the release in lock_release. */
    if (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket) {
        lock_wait(lock, ticket);
    }
}

static inline void lock_release(struct lock *lock) {
    /* Release: pairs with the acquire in lock_acquire. Only the holder writes `serving`. */
    __atomic_store_n(&lock->serving, lock->serving + 1, __ATOMIC_RELEASE);
}

#endif
