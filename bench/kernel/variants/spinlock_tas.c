/* SPDX-License-Identifier: Apache-2.0 */
#include "lock/spinlock.h"

#include "atomic.h"
#include "core.h"

/* Turns without a look: after the first failure, and at most. */
enum { TURNS_FIRST = 2, TURNS_MAX = 128 };

/* Acquire: pairs with the release in spinlock_release. */
static bool try(struct spinlock *lock) {
    return __atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) == 0;
}

static void wait(struct spinlock *lock) {
    struct takt_record_event *event = spinlock_wait_begins();
    unsigned turns = TURNS_FIRST;
    do {
        if (BACKOFF == BACKOFF_EXPONENTIAL) {
            spinlock_backoff(turns);
            turns = turns < TURNS_MAX ? 2 * turns : TURNS_MAX;
        }
        do {
            kernel_spin();
        } while (SPINLOCK == SPINLOCK_TTAS && __atomic_load_n(&lock->held, __ATOMIC_RELAXED) != 0);
    } while (!try(lock));
    spinlock_wait_ends(event);
}

bool spinlock_try(struct spinlock *lock, struct spinlock_node *node) {
    (void)node;
    return try(lock);
}

void spinlock_acquire(struct spinlock *lock, struct spinlock_node *node) {
    (void)node;
    if (!try(lock)) {
        wait(lock);
    }
}

void spinlock_release(struct spinlock *lock, struct spinlock_node *node) {
    (void)node;
    atomic_store_release(&lock->held, 0); /* pairs with the acquire in try */
}
