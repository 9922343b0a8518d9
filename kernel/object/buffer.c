/* SPDX-License-Identifier: Apache-2.0 */
#include "object/buffer.h"

#include <string.h>

#include <takt/buffer.h>

#include "atomic.h"
#include "record/record.h"
#include "task/task.h"

/* A claim that is not set. 0, so that buffers need no initialisation: claims hold slot + 1. */
#define NONE 0u

/* Sets a claim that is NONE to `value`; returns what the claim is afterwards. */
static uint32_t claim(uint32_t *word, uint32_t value) {
    uint32_t found = NONE;
    /* Acquire, release: pairs with the same on the other side, reader or writer. */
    return __atomic_compare_exchange_n(word, &found, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE)
               ? value
               : found;
}

/* Claims the latest slot for each reader that has given up its claim and has not set another.
 * Afterwards no reader can claim a slot that was the latest before this one. Bound: the readers. */
static void buffer_claim_latest(const struct takt_buffer_config *config, uint32_t latest) {
    /* Pairs with the fence in takt_buffer_read: either that reader sees the number that the latest
     * write has published, or the loop below sees the reader's empty claim. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t reader = 0; reader < config->reader_count; reader++) {
        claim(&config->claims[reader], latest + 1);
    }
}

/* Returns a slot that is neither the latest nor claimed. Bound: readers + 2 slots, each against the
 * readers' claims. */
static uint32_t buffer_free_slot(const struct takt_buffer_config *config, uint32_t latest) {
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

takt_error takt_buffer_write(takt_id id, const void *value) {
    if (id - 1 >= takt_buffer_count) {
        return refused(TAKT_E_ID);
    }
    if (value == 0) {
        return refused(TAKT_E_PAR);
    }
    const struct takt_buffer_config *config = &takt_buffer_configs[id - 1];
    if (takt_task_self() != config->writer) {
        return refused(TAKT_E_ILUSE);
    }
    struct buffer *buffer = &takt_buffers[id - 1];
    uint32_t latest = buffer->latest; /* only the writer changes it */
    /* Before the choice of a slot, not after the publication: a job of the writer may end at any
     * step, and what it left undone is done here by the next one. */
    buffer_claim_latest(config, latest);
    uint32_t slot = buffer_free_slot(config, latest);
    memcpy(config->slots + (size_t)slot * config->stride, value, config->size);
    /* Release: the value before its number; pairs with the acquire in takt_buffer_read. */
    atomic_store_release(&buffer->latest, slot);
    return TAKT_OK;
}

/* The claim word of the running task, null when it is no reader. Bound: the readers. */
static uint32_t *own_claim(const struct takt_buffer_config *config) {
    takt_id self = takt_task_self();
    for (uint32_t reader = 0; reader < config->reader_count; reader++) {
        if (config->readers[reader] == self) {
            return &config->claims[reader];
        }
    }
    return 0;
}

takt_error takt_buffer_read(takt_id id, void *value) {
    if (id - 1 >= takt_buffer_count) {
        return refused(TAKT_E_ID);
    }
    if (value == 0) {
        return refused(TAKT_E_PAR);
    }
    const struct takt_buffer_config *config = &takt_buffer_configs[id - 1];
    uint32_t *word = own_claim(config);
    if (word == 0) {
        return refused(TAKT_E_ILUSE);
    }
    const struct buffer *buffer = &takt_buffers[id - 1];
    /* Release: the copy of an earlier read is done before its slot is given up; pairs with the
     * writer's acquire in buffer_free_slot. */
    atomic_store_release(word, NONE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with the fence in buffer_claim_latest */
    uint32_t slot = claim(word, atomic_load_acquire(&buffer->latest) + 1) - 1;
    memcpy(value, config->slots + (size_t)slot * config->stride, config->size);
    return TAKT_OK;
}
