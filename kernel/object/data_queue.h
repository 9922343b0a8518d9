/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_DATA_QUEUE_H
#define KERNEL_DATA_QUEUE_H

#include <takt/data_queue.h>

#include "config.h"
#include "object/waiters.h"

struct takt_data_queue_config {
    const char *name;
    uint32_t capacity;
    intptr_t *words;  /* `capacity` of them */
    bool by_priority; /* the order of waiting senders; else FIFO */
};

struct data_queue {
    /* Senders with a word each, while all places are taken; or receivers, while there is no word
     * and no sender: never both. */
    struct waiters waiters;
    uint32_t first, count;
} __attribute__((aligned(64)));

extern struct data_queue takt_data_queues[];                          /* by ID - 1 (configurator) */
extern const struct takt_data_queue_config takt_data_queue_configs[]; /* the same */
extern const uint32_t takt_data_queue_count;

#endif
