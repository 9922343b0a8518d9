/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of a single-writer buffer, and who may touch which: docs/design/buffers.md has the
 * argument. What has slots copies the value itself, between the steps below. Inline: the functions
 * have few callers each, and their calls are most of their time. */
#ifndef KERNEL_BUFFER_SLOTS_H
#define KERNEL_BUFFER_SLOTS_H

#include <takt/task.h>

#include "atomic.h"
#include "config.h"

struct takt_buffer_config {
    const char *name;
    uint32_t size;   /* of a value, bytes */
    uint32_t stride; /* from one slot to the next */
    uint32_t reader_count;
    takt_id writer;
    const uint16_t *readers; /* IDs, ascending */
    uint8_t *slots;          /* reader_count + 2 of them */
    uint32_t *claims;        /* a word a reader; see below */
};

struct buffer {
    uint32_t latest; /* slot of the newest value; written by the writer, release */
} __attribute__((aligned(64)));

/* A claim that is not set. 0, so that buffers need no initialisation: claims hold slot + 1. */
#define BUFFER_NONE 0u

/* Sets a claim that is BUFFER_NONE to `value`; returns what the claim is afterwards. */
static inline uint32_t buffer_claim(uint32_t *word, uint32_t value) {
    uint32_t found = BUFFER_NONE;
    /* Acquire, release: pairs with the same on the other side, reader or writer. */
    return __atomic_compare_exchange_n(word, &found, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE)
               ? value
               : found;
}

/* Claims the latest slot for each reader that has given up its claim and has not set another.
 * Afterwards no reader can claim a slot that was the latest before this one. Bound: the readers. */
static inline void buffer_claim_latest(const struct takt_buffer_config *config, uint32_t latest) {
    /* Pairs with the fence in buffer_begin_read: either that reader sees the number that the latest
     * write has published, or the loop below sees the reader's empty claim. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t reader = 0; reader < config->reader_count; reader++) {
        buffer_claim(&config->claims[reader], latest + 1);
    }
}

/* Returns a slot that is neither the latest nor claimed. Bound: readers + 2 slots, each against the
 * readers' claims. */
static inline uint32_t buffer_free_slot(const struct takt_buffer_config *config, uint32_t latest) {
    for (uint32_t slot = 0;; slot++) {
        bool taken = slot == latest;
        for (uint32_t reader = 0; reader < config->reader_count && !taken; reader++) {
            taken = atomic_load_acquire(&config->claims[reader]) == slot + 1;
        }
        if (!taken) {
            return slot;
        }
    }
}

/* Returns the slot that the writer, which calls it, fills next. */
static inline uint32_t buffer_begin_write(const struct takt_buffer_config *config,
                                          const struct buffer *buffer) {
    uint32_t latest = buffer->latest; /* only the writer changes it */
    /* Before the choice of a slot, not after the publication: a job of the writer may end at any
     * step, and what it left undone is done here by the next one. */
    buffer_claim_latest(config, latest);
    return buffer_free_slot(config, latest);
}

/* Publishes a slot that has been filled. */
static inline void buffer_end_write(struct buffer *buffer, uint32_t slot) {
    /* Release: the value before its number; pairs with the acquire in buffer_begin_read. */
    atomic_store_release(&buffer->latest, slot);
}

/* The claim word of the running task, null when it is no reader. Bound: the readers. */
static inline uint32_t *buffer_own_claim(const struct takt_buffer_config *config) {
    takt_id self = takt_task_self();
    for (uint32_t reader = 0; reader < config->reader_count; reader++) {
        if (config->readers[reader] == self) {
            return &config->claims[reader];
        }
    }
    return 0;
}

/* Returns the slot with the latest value, which stays as it is until the reader with this claim
 * word begins another read. */
static inline uint32_t buffer_begin_read(const struct buffer *buffer, uint32_t *word) {
    /* Release: the copy of an earlier read is done before its slot is given up; pairs with the
     * writer's acquire in buffer_free_slot. */
    atomic_store_release(word, BUFFER_NONE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with the fence in buffer_claim_latest */
    return buffer_claim(word, atomic_load_acquire(&buffer->latest) + 1) - 1;
}

/* The value in a slot. */
static inline uint8_t *buffer_value(const struct takt_buffer_config *config, uint32_t slot) {
    return config->slots + (size_t)slot * config->stride;
}

#endif
