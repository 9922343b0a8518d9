/* SPDX-License-Identifier: Apache-2.0 */
/* Counting semaphores: a count and a queue of tasks from any core. */
#ifndef KERNEL_SEMAPHORE_H
#define KERNEL_SEMAPHORE_H

#include <takt/semaphore.h>

#include "lock.h"
#include "task.h"

struct semaphore {
    struct lock lock;
    /* Guarded by the lock. Tasks wait only while the count is 0. */
    uint32_t count;
    struct task *first, *last;
} __attribute__((aligned(64)));

extern struct semaphore takt_semaphores[]; /* by ID - 1 (configurator) */

/* Sets all counts to their initial values; before any task runs. */
void semaphores_init(void);

/* Takes a task out of the queue; false when a signal has done so already. Interrupts disabled. */
bool semaphore_cancel(struct semaphore *semaphore, struct task *task);

#endif
