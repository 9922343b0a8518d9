/* SPDX-License-Identifier: Apache-2.0 */
/* The ticket lock: FIFO, so that the wait is at most (cores - 1) critical sections. All that wait
 * watch one word. */
#ifndef KERNEL_SPINLOCK_TICKET_H
#define KERNEL_SPINLOCK_TICKET_H

#include <stdint.h>

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

#define SPINLOCK_NODE
struct spinlock_node {
    uint32_t ticket; /* of the lock that the core holds */
};

#endif
