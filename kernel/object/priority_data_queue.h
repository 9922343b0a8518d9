/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_PRIORITY_DATA_QUEUE_H
#define KERNEL_PRIORITY_DATA_QUEUE_H

#include <takt/priority_data_queue.h>

#include "config.h"
#include "object/waiters.h"

/* Numbers of places count from 1; 0: none. */

struct priority_place {
    intptr_t word;
    uint32_t next; /* the place behind it in its line, or among the free ones */
};

/* The words of one priority, the oldest first. */
struct priority_line {
    uint32_t first, last;
};

struct takt_priority_data_queue_config {
    const char *name;
    uint32_t capacity;
    uint32_t priorities;
    struct priority_place *places; /* `capacity` of them */
    struct priority_line *lines;   /* by priority - 1 */
    bool by_priority;              /* the order of waiting senders; else FIFO */
};

struct priority_data_queue {
    /* Senders with a word each, while all places are taken; or receivers, while there is no word:
     * never both. */
    struct waiters waiters;
    uint32_t count;  /* words */
    uint32_t free;   /* the first free place of those up to `fresh` */
    uint32_t fresh;  /* places behind this one were never taken */
    uint64_t filled; /* bit n: there are words of priority n + 1 */
} __attribute__((aligned(64)));

extern struct priority_data_queue takt_priority_data_queues[]; /* by ID - 1 (configurator) */
extern const struct takt_priority_data_queue_config
    takt_priority_data_queue_configs[]; /* the same */
extern const uint32_t takt_priority_data_queue_count;

#endif
