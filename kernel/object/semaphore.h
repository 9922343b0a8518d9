/* SPDX-License-Identifier: Apache-2.0 */
/* Counting semaphores: a count and a queue of tasks from any core. */
#ifndef KERNEL_SEMAPHORE_H
#define KERNEL_SEMAPHORE_H

#include <takt/semaphore.h>

#include "config.h"
#include "object/waiters.h"

struct takt_semaphore_config {
    const char *name;
    uint32_t maximum, initial;
    bool by_priority;        /* the order of waiting tasks; else FIFO */
    struct takt_users users; /* that hold it for mutual exclusion; none: it is a signal */
};

struct semaphore {
    struct waiters waiters; /* only while the count is 0 */
    uint32_t count;
} __attribute__((aligned(64)));

extern struct semaphore takt_semaphores[];                          /* by ID - 1 (configurator) */
extern const struct takt_semaphore_config takt_semaphore_configs[]; /* the same */
extern const uint32_t takt_semaphore_count;

/* Returns the only user that is known to hold a count, TAKT_ID_NONE if there are several. Bound:
 * the users. */
takt_id semaphore_holder(takt_id id);

/* Gives the semaphore its initial count; tasks that wait for it wait no longer: TAKT_E_DLT. By a
 * task, interrupts enabled. Bound: the semaphore's maximum, a section each, and those that wait. */
void semaphore_renew(takt_id id);

/* The job of the task is ended, and did not run since a wait for a semaphore ended: a count that it
 * was handed is held for ever, which the record names. */
void semaphore_note_lost(struct task *task);

#endif
