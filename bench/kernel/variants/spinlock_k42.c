/* SPDX-License-Identifier: Apache-2.0 */
/* The original repeats a compare-and-swap until it is in the queue, which has no bound for a single
 * core; here an exchange enters it. */
#include "lock/spinlock.h"

#include "atomic.h"
#include "core.h"

/* Strong: fails only when the tail is another. */
static bool tail_replace(struct spinlock *lock, struct spinlock_node *old,
                         struct spinlock_node *new, int order) {
    return __atomic_compare_exchange_n(&lock->tail, &old, new, false, order, __ATOMIC_RELAXED);
}

/* Returns the node after one that is no longer the tail. Bound: its core is between two stores,
 * interrupts disabled. Acquire: pairs with the release in enqueue. */
static struct spinlock_node *behind(struct spinlock_node *node) {
    struct spinlock_node *next;
    while ((next = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE)) == 0) {
        kernel_spin();
    }
    return next;
}

/* Waits in the queue, if there is one. */
static void enqueue(struct spinlock *lock, struct spinlock_node *node) {
    node->next = 0;
    node->waits = 1;
    struct spinlock_node *before = __atomic_exchange_n(&lock->tail, node, __ATOMIC_ACQ_REL);
    if (before == 0) {
        return;
    }
    atomic_store_release(&before->next, node);
    struct takt_record_event *event = spinlock_wait_begins();
    /* Acquire: pairs with the release of the core before. */
    while (__atomic_load_n(&node->waits, __ATOMIC_ACQUIRE) != 0) {
        kernel_spin();
    }
    spinlock_wait_ends(event);
}

bool spinlock_try(struct spinlock *lock, struct spinlock_node *node) {
    (void)node;
    return __atomic_load_n(&lock->tail, __ATOMIC_RELAXED) == 0 &&
           tail_replace(lock, 0, &lock->holder, __ATOMIC_ACQUIRE);
}

void spinlock_acquire(struct spinlock *lock, struct spinlock_node *node) {
    if (spinlock_try(lock, node)) {
        return;
    }
    enqueue(lock, node);
    /* The holder's place takes over from the core's: who comes next links itself to the one or the
     * other, and the exchange of the tail decides which. */
    struct spinlock_node *next = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE);
    lock->holder.next = 0;
    if (next == 0 && tail_replace(lock, node, &lock->holder, __ATOMIC_RELEASE)) {
        return;
    }
    lock->holder.next = next != 0 ? next : behind(node);
}

void spinlock_release(struct spinlock *lock, struct spinlock_node *node) {
    (void)node;
    struct spinlock_node *next = __atomic_load_n(&lock->holder.next, __ATOMIC_ACQUIRE);
    if (next == 0) {
        if (tail_replace(lock, &lock->holder, 0, __ATOMIC_RELEASE)) {
            return;
        }
        next = behind(&lock->holder);
    }
    atomic_store_release(&next->waits, 0);
}
