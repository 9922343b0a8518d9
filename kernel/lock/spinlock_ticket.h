/* SPDX-License-Identifier: Apache-2.0 */
/* The ticket lock: FIFO, so that the wait is at most (cores - 1) critical sections. All that wait
 * watch one word. */
#ifndef KERNEL_SPINLOCK_TICKET_H
#define KERNEL_SPINLOCK_TICKET_H

#include <stdint.h>

#include "arch.h"
#include "atomic.h"
#include "place.h"

/* One word, so that one atomic instruction takes a ticket and tells whether it is served. */
struct spinlock {
    union {
        uint64_t both;
        struct {
            uint32_t serving; /* the ticket that holds the lock; written by its holder only */
            uint32_t next;    /* the next ticket: the high half, whose overflow changes nothing */
        };
    };
};

struct spinlock_node {
    uint32_t ticket; /* of the lock that the core holds */
};

/* Takes a ticket in any case and waits until it is served. */
RARE void spinlock_acquire_waiting(struct spinlock *lock, struct spinlock_node *node);

static inline void spinlock_acquire(struct spinlock *lock, struct spinlock_node *node) {
    uint32_t ticket;
    if (arch_ticket_take_free(&lock->both, &ticket)) {
        node->ticket = ticket;
    } else {
        spinlock_acquire_waiting(lock, node);
    }
}

/* The ticket comes from the core's own block: the lock's line may be with those who wait. */
static inline void spinlock_release(struct spinlock *lock, struct spinlock_node *node) {
    /* Pairs with the acquires of arch_ticket_take_free and spinlock_acquire_waiting. Only the
     * holder writes `serving`. */
    atomic_store_release(&lock->serving, node->ticket + 1);
}

#endif
