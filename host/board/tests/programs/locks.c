// SPDX-License-Identifier: Apache-2.0
// Every hart takes each kind of spinlock some times and counts under it; no count may be lost.
#include "program.h"

#ifndef ROUNDS
#define ROUNDS 5
#endif
#define KINDS 5

static LINE volatile uint32_t tas;
static LINE volatile uint32_t ttas;
static LINE volatile uint32_t ticket_next;
static LINE volatile uint32_t ticket_now;
static LINE volatile uint32_t reserved;
static struct node {
    LINE struct node *volatile next;
    volatile uint32_t locked;
} nodes[128], *volatile tail;
static LINE volatile uint64_t counts[KINDS];

static void lock(int kind, struct node *me) {
    switch (kind) {
    case 0:
        while (__atomic_exchange_n(&tas, 1, __ATOMIC_ACQUIRE)) {
        }
        break;
    case 1:
        do {
            while (ttas) {
            }
        } while (__atomic_exchange_n(&ttas, 1, __ATOMIC_ACQUIRE));
        break;
    case 2: {
        uint32_t mine = __atomic_fetch_add(&ticket_next, 1, __ATOMIC_RELAXED);
        while (__atomic_load_n(&ticket_now, __ATOMIC_ACQUIRE) != mine) {
        }
        break;
    }
    case 3: {
        me->next = 0;
        me->locked = 1;
        struct node *before = __atomic_exchange_n(&tail, me, __ATOMIC_ACQ_REL);
        if (before) {
            __atomic_store_n(&before->next, me, __ATOMIC_RELEASE);
            while (__atomic_load_n(&me->locked, __ATOMIC_ACQUIRE)) {
            }
        }
        break;
    }
    default: {
        uint32_t expected = 0;
        while (!__atomic_compare_exchange_n(&reserved, &expected, 1, 0, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED)) {
            expected = 0;
        }
    }
    }
}

static void unlock(int kind, struct node *me) {
    switch (kind) {
    case 0:
        __atomic_store_n(&tas, 0, __ATOMIC_RELEASE);
        break;
    case 1:
        __atomic_store_n(&ttas, 0, __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n(&ticket_now, ticket_now + 1, __ATOMIC_RELEASE);
        break;
    case 3: {
        struct node *expected = me;
        if (!__atomic_load_n(&me->next, __ATOMIC_ACQUIRE)) {
            if (__atomic_compare_exchange_n(&tail, &expected, 0, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED)) {
                return;
            }
            while (!__atomic_load_n(&me->next, __ATOMIC_ACQUIRE)) {
            }
        }
        __atomic_store_n(&me->next->locked, 0, __ATOMIC_RELEASE);
        break;
    }
    default:
        __atomic_store_n(&reserved, 0, __ATOMIC_RELEASE);
    }
}

int main(uint64_t hart, uint64_t harts) {
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < ROUNDS; i++) {
            lock(kind, &nodes[hart]);
            counts[kind] = counts[kind] + 1;
            unlock(kind, &nodes[hart]);
        }
        barrier(harts);
        if (counts[kind] != ROUNDS * harts) {
            return kind + 1;
        }
    }
    return 0;
}
