/* SPDX-License-Identifier: Apache-2.0 */
/* docs/design/services.md, "Reader-writer locks". */
#ifndef KERNEL_READER_WRITER_LOCK_H
#define KERNEL_READER_WRITER_LOCK_H

#include <takt/reader_writer_lock.h>

#include "waiters.h"

struct reader_writer_lock {
    struct waiters waiters; /* the first could not hold the lock */
    uint32_t readers;       /* that hold it */
    takt_id writer;         /* that holds it; then no readers do */
} __attribute__((aligned(64)));

extern struct reader_writer_lock takt_reader_writer_locks[]; /* by ID - 1 (configurator) */

/* Of `waiters.shrunk`: hands the lock to the first ones as long as they may hold it together. */
struct task *reader_writer_lock_shrunk(struct waiters *waiters);

/* Gives back all that the task holds, at the end of its job. On its core, interrupts disabled; does
 * not dispatch. Bound: the locks of the system. */
void reader_writer_locks_give_back(struct task *task);

#endif
