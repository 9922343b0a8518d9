/* SPDX-License-Identifier: Apache-2.0 */
/* The relay: a ticket lock whose far waiters do not watch the lock. FIFO; the wait is at most
 * (cores - 1) critical sections. Memory: two lines a lock, three for more than 64 cores.
 *
 * Who is next, or next but one, watches `serving`. Who is farther writes its core into the table of
 * the lock, at its ticket's place, and watches a word of its own core, which a holder pokes when it
 * leaves the lock. The argument why no poke is missed: docs/design/kernel.md, "Spin locks". */
#ifndef KERNEL_SPINLOCK_RELAY_H
#define KERNEL_SPINLOCK_RELAY_H

#include <stdint.h>

struct spinlock {
    union {
        uint64_t both;
        struct {
            uint32_t serving; /* the ticket that holds the lock; written by its holder only */
            uint32_t next;    /* the next ticket: the high half, whose overflow changes nothing */
        };
    };
    /* By ticket: 1 + the core that waits far away; 0: none. Written by the core with that ticket.
     * As many places as cores at least, so no two of the tickets that are out share one. */
    uint8_t far[SPINLOCK_PLACES] __attribute__((aligned(64)));
};

struct spinlock_node {
    uint32_t ticket; /* of the lock that the core holds */
    uint32_t poked;  /* set by a holder, cleared by this core */
};

#endif
