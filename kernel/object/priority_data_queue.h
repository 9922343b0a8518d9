/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_PRIORITY_DATA_QUEUE_H
#define KERNEL_PRIORITY_DATA_QUEUE_H

#include <takt/priority_data_queue.h>

#include "atomic.h"
#include "bits.h"
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
#if RAISES
    takt_id raises; /* the task that its words raise, the only receiver; TAKT_ID_NONE: none */
#endif
};

struct priority_data_queue {
    /* Senders with a word each, while all places are taken; or receivers, while there is no word:
     * never both. */
    struct waiters waiters;
    uint32_t count;  /* words */
    uint32_t free;   /* the first free place of those up to `fresh` */
    uint32_t fresh;  /* places behind this one were never taken */
    uint64_t filled; /* bit n: there are words of priority n + 1. Read without the lock: raise.h */
#if RAISES
    /* The priority of the word that the raised task has received and not released; 0: none. Written
     * with the lock held by who hands it to the waiting task, else by that task's core alone. */
    uint8_t held;
#endif
} __attribute__((aligned(64)));

extern struct priority_data_queue takt_priority_data_queues[]; /* by ID - 1 (configurator) */
extern const struct takt_priority_data_queue_config
    takt_priority_data_queue_configs[]; /* the same */
extern const uint32_t takt_priority_data_queue_count;

/* --- Words, with the lock held; none has a loop ----------------------------------------------- */

/* Takes a place that holds no word; there is one. */
static inline uint32_t priority_words_place(struct priority_data_queue *queue,
                                            const struct takt_priority_data_queue_config *config) {
    uint32_t place = queue->free;
    if (place == 0) {
        return ++queue->fresh;
    }
    queue->free = config->places[place - 1].next;
    return place;
}

/* Notes which priorities have words; what is read without the lock is written at once. */
static inline void priority_words_note(struct priority_data_queue *queue, uint64_t filled) {
#if RAISES
    atomic_store_relaxed(&queue->filled, filled);
#else
    queue->filled = filled;
#endif
}

/* Puts a word behind those of its priority. */
static inline void priority_words_put(struct priority_data_queue *queue,
                                      const struct takt_priority_data_queue_config *config,
                                      intptr_t word, unsigned priority) {
    struct priority_line *line = &config->lines[priority - 1];
    uint32_t place = priority_words_place(queue, config);
    config->places[place - 1] = (struct priority_place){.word = word};
    if (queue->filled & UINT64_C(1) << (priority - 1)) {
        config->places[line->last - 1].next = place;
    } else {
        line->first = place;
        priority_words_note(queue, queue->filled | UINT64_C(1) << (priority - 1));
    }
    line->last = place;
    queue->count++;
}

/* Takes the oldest word of the highest priority; there is one. */
static inline intptr_t priority_words_take(struct priority_data_queue *queue,
                                           const struct takt_priority_data_queue_config *config,
                                           unsigned *priority) {
    unsigned level = bits_lowest(queue->filled);
    struct priority_line *line = &config->lines[level];
    uint32_t place = line->first;
    struct priority_place *taken = &config->places[place - 1];
    line->first = taken->next;
    if (line->first == 0) {
        priority_words_note(queue, queue->filled & ~(UINT64_C(1) << level));
    }
    taken->next = queue->free;
    queue->free = place;
    queue->count--;
    *priority = level + 1;
    return taken->word;
}

#endif
