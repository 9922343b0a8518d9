/* SPDX-License-Identifier: Apache-2.0 */
/* The queue lock of Mellor-Crummey and Scott (ACM TOCS 9(1), 1991): FIFO; each core that waits
 * watches a word of its own, which the one before writes. */
#ifndef KERNEL_SPINLOCK_MCS_H
#define KERNEL_SPINLOCK_MCS_H

#include <stdint.h>

/* A core's place, from the acquisition until the release. */
struct spinlock_node {
    struct spinlock_node *next; /* written by the core behind; null: nobody, yet */
    uint32_t waits;             /* cleared by the core before */
};

struct spinlock {
    struct spinlock_node *tail; /* the last who waits or holds; null: free */
};

#endif
