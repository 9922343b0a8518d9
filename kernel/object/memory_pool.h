/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_MEMORY_POOL_H
#define KERNEL_MEMORY_POOL_H

#include <takt/memory_pool.h>

#include "config.h"
#include "object/waiters.h"

struct takt_memory_pool_config {
    const char *name;
    uint32_t count;
    uint32_t stride; /* from one block to the next, bytes */
    uint8_t *blocks;
    uint32_t *next;   /* a word a block; see memory_pool.h */
    bool by_priority; /* the order of waiting tasks; else FIFO */
};

struct memory_pool {
    struct waiters waiters; /* only while no block is free */
    /* 1 + number of the first free block and, in config->next, of the one behind each: 0: none. In
     * a block that somebody has: MEMORY_POOL_TAKEN. Blocks from `fresh` on were never taken. */
    uint32_t free, fresh;
    uint32_t taken; /* blocks that somebody has */
} __attribute__((aligned(64)));

extern struct memory_pool takt_memory_pools[]; /* by ID - 1 (configurator) */
extern const struct takt_memory_pool_config takt_memory_pool_configs[]; /* the same */
extern const uint32_t takt_memory_pool_count;

#endif
