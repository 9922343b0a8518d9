/* SPDX-License-Identifier: Apache-2.0 */
/* The ready queue of a core: 64 FIFO levels and a bit for each that is not empty; all O(1).
 *
 * Owned by its core, used with interrupts disabled. The running task stays in its place, so a
 * preempted task is still the first of its level. */
#ifndef KERNEL_READY_H
#define KERNEL_READY_H

#include <stdint.h>

#include "bits.h"

#define READY_LEVELS 64

struct task;

struct ready {
    uint64_t levels; /* bit p-1: level of priority p is not empty */
    struct ready_level {
        struct task *first, *last; /* valid where it is not empty */
    } level[READY_LEVELS];
};

/* Puts a task behind all others of its priority. */
void ready_insert(struct ready *ready, struct task *task);

/* Puts a task before all others of its priority. */
void ready_insert_first(struct ready *ready, struct task *task);

/* Removes a task from its place. */
void ready_remove(struct ready *ready, struct task *task);

/* Puts the first task of a priority behind the others of it; its level is not empty. */
void ready_rotate(struct ready *ready, unsigned priority);

/* Does so where it has others; returns the one that is the first then. */
struct task *ready_rotate_level(struct ready_level *level);

/* The task that should run, null when none is ready. */
static inline struct task *ready_first(const struct ready *ready) {
    return ready->levels == 0 ? 0 : ready->level[bits_lowest(ready->levels)].first;
}

#endif
