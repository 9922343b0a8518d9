/* SPDX-License-Identifier: Apache-2.0 */
#include "lock/spinlock.h"

#if SPINLOCK == SPINLOCK_TICKET

#include "atomic.h"
#include "core.h"

/* Turns without a look: proportional, for each core before this one; exponential, after the first
 * look, and at most. */
enum { TURNS_EACH = 8, TURNS_FIRST = 2, TURNS_MAX = 64 };

static void wait_for_turn(struct spinlock *lock, uint32_t ticket, uint32_t serving) {
    struct takt_record_event *event = spinlock_wait_begins();
    unsigned turns = TURNS_FIRST;
    while (serving != ticket) {
        if (BACKOFF == BACKOFF_PROPORTIONAL) {
            spinlock_backoff((ticket - serving - 1) * TURNS_EACH);
        } else if (BACKOFF == BACKOFF_EXPONENTIAL) {
            spinlock_backoff(turns);
            turns = turns < TURNS_MAX ? 2 * turns : TURNS_MAX;
        }
        kernel_spin();
        /* Acquire: pairs with the release in spinlock_release. */
        serving = atomic_load_acquire(&lock->serving);
    }
    spinlock_wait_ends(event);
}

void spinlock_acquire_waiting(struct spinlock *lock, struct spinlock_node *node) {
    /* An addition, which always succeeds. Acquire: as of the load in `wait`. */
    uint64_t both = __atomic_fetch_add(&lock->both, 1ull << 32, __ATOMIC_ACQUIRE);
    uint32_t ticket = (uint32_t)(both >> 32), serving = (uint32_t)both;
    node->ticket = ticket;
    if (serving != ticket) {
        wait_for_turn(lock, ticket, serving);
    }
}

/* Returns false, too, if another core takes a ticket between the load and the exchange. */
bool spinlock_try(struct spinlock *lock, struct spinlock_node *node) {
    uint64_t seen = __atomic_load_n(&lock->both, __ATOMIC_RELAXED);
    node->ticket = (uint32_t)(seen >> 32);
    return node->ticket == (uint32_t)seen &&
           __atomic_compare_exchange_n(&lock->both, &seen, seen + (1ull << 32), false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

#endif
