/* SPDX-License-Identifier: Apache-2.0 */
/* K42's variant of the MCS lock (Auslander and others, 2002): the lock itself has the holder's
 * place, so that a core's place is its own again as soon as it has the lock. */
#ifndef KERNEL_SPINLOCK_K42_H
#define KERNEL_SPINLOCK_K42_H

#include <stdint.h>

struct spinlock_node {
    struct spinlock_node *next; /* written by the core behind; null: nobody, yet */
    uint32_t waits;             /* cleared by the core before */
};

struct spinlock {
    struct spinlock_node *tail;  /* the last who waits; &holder: none does; null: free */
    struct spinlock_node holder; /* `next` only: the first who waits */
};

#endif
