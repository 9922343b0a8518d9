/* SPDX-License-Identifier: Apache-2.0 */
#include "lock/spinlock.h"

#include "atomic.h"
#include "core.h"

/* The holder of ticket t pokes ticket t + REACH when it leaves. Those nearer watch the lock. */
enum { REACH = 2 };

static uint8_t *far_place(struct spinlock *lock, uint32_t ticket) {
    return &lock->far[ticket % SPINLOCK_PLACES];
}

/* Acquire: pairs with the release in spinlock_release. */
static uint32_t serving_now(struct spinlock *lock) {
    return __atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE);
}

/* Waits for the poke, unless the ticket is near by now. */
static void wait_far(struct spinlock *lock, uint32_t ticket) {
    struct core *core = core_here();
    uint8_t *place = far_place(lock, ticket);
    core->lock_node.poked = 0;
    *(volatile uint8_t *)place = (uint8_t)(core->index + 1);
    /* The place is seen before `serving` is read: so the holder that should poke, who has not the
     * lock yet, finds it. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (ticket - serving_now(lock) > REACH) {
        while (__atomic_load_n(&core->lock_node.poked, __ATOMIC_RELAXED) == 0) {
            kernel_spin();
        }
    }
    *(volatile uint8_t *)place = 0;
}

static void wait(struct spinlock *lock, uint32_t ticket, uint32_t serving) {
    struct takt_record_event *event = spinlock_wait_begins();
    if (ticket - serving > REACH) {
        wait_far(lock, ticket);
    }
    while (serving_now(lock) != ticket) {
        kernel_spin();
    }
    spinlock_wait_ends(event);
}

void spinlock_acquire(struct spinlock *lock, struct spinlock_node *node) {
    if (arch_ticket_take_free(&lock->both, &node->ticket)) {
        return;
    }
    /* An addition always succeeds. Acquire: pairs with the release below. */
    uint64_t both = __atomic_fetch_add(&lock->both, 1ull << 32, __ATOMIC_ACQUIRE);
    uint32_t ticket = (uint32_t)(both >> 32), serving = (uint32_t)both;
    if (serving != ticket) {
        wait(lock, ticket, serving);
    }
    node->ticket = ticket;
}

void spinlock_release(struct spinlock *lock, struct spinlock_node *node) {
    uint32_t ticket = node->ticket;
    atomic_store_release(&lock->serving, ticket + 1); /* pairs with the acquires above */
    /* After the lock is given away, so that nobody waits for it; after this core had it, which is
     * what the argument needs. A place from an older ticket only makes a core look too early. */
    uint8_t far = __atomic_load_n(far_place(lock, ticket + REACH), __ATOMIC_RELAXED);
    if (far != 0) {
        *(volatile uint32_t *)&takt_cores[far - 1]->lock_node.poked = 1;
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
