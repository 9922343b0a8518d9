/* SPDX-License-Identifier: Apache-2.0 */
#include "lock/spinlock.h"

#include "atomic.h"
#include "core.h"

void spinlock_acquire(struct spinlock *lock, struct spinlock_node *node) {
    node->next = 0;
    node->waits = 1;
    /* Release: the node, for the core behind. Acquire: pairs with the release of a free lock. */
    struct spinlock_node *before = __atomic_exchange_n(&lock->tail, node, __ATOMIC_ACQ_REL);
    if (before == 0) {
        return;
    }
    atomic_store_release(&before->next, node); /* pairs with the acquires in spinlock_release */
    struct takt_record_event *event = spinlock_wait_begins();
    /* Acquire: pairs with the release of the core before. */
    while (__atomic_load_n(&node->waits, __ATOMIC_ACQUIRE) != 0) {
        kernel_spin();
    }
    spinlock_wait_ends(event);
}

bool spinlock_try(struct spinlock *lock, struct spinlock_node *node) {
    struct spinlock_node *nobody = 0;
    node->next = 0;
    /* Strong; orders as the exchange above. */
    return __atomic_load_n(&lock->tail, __ATOMIC_RELAXED) == 0 &&
           __atomic_compare_exchange_n(&lock->tail, &nobody, node, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

void spinlock_release(struct spinlock *lock, struct spinlock_node *node) {
    struct spinlock_node *last = node, *next = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE);
    if (next == 0) {
        /* Strong: fails only when another core is in the queue. */
        if (__atomic_compare_exchange_n(&lock->tail, &last, (struct spinlock_node *)0, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
            return;
        }
        /* Bound: that core is between two instructions, interrupts disabled. */
        while ((next = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE)) == 0) {
            kernel_spin();
        }
    }
    atomic_store_release(&next->waits, 0);
}
