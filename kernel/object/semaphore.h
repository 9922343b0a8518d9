/* SPDX-License-Identifier: Apache-2.0 */
/* Counting semaphores: a count and a queue of tasks from any core. */
#ifndef KERNEL_SEMAPHORE_H
#define KERNEL_SEMAPHORE_H

#include <takt/semaphore.h>

#include "object/waiters.h"

struct semaphore {
    struct waiters waiters; /* only while the count is 0 */
    uint32_t count;
} __attribute__((aligned(64)));

extern struct semaphore takt_semaphores[]; /* by ID - 1 (configurator) */

#endif
