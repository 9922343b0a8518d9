/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_MEMORY_POOL_H
#define KERNEL_MEMORY_POOL_H

#include <takt/memory_pool.h>

#include "object/waiters.h"

struct memory_pool {
    struct waiters waiters; /* only while no block is free */
    /* 1 + number of the first free block and, in config->next, of the one behind each: 0: none. In
     * a block that somebody has: MEMORY_POOL_TAKEN. Blocks from `fresh` on were never taken. */
    uint32_t free, fresh;
    uint32_t taken; /* blocks that somebody has */
} __attribute__((aligned(64)));

extern struct memory_pool takt_memory_pools[]; /* by ID - 1 (configurator) */

#endif
