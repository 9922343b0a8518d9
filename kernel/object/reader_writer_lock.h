/* SPDX-License-Identifier: Apache-2.0 */
/* docs/design/services.md, "Reader-writer locks". */
#ifndef KERNEL_READER_WRITER_LOCK_H
#define KERNEL_READER_WRITER_LOCK_H

#include <takt/reader_writer_lock.h>

#include "config.h"
#include "object/served.h"

struct takt_reader_writer_lock_config {
    const char *name;
    uint32_t *holders; /* a bit a task, by ID - 1 */
    bool by_priority;  /* the order of waiting tasks; else FIFO */
};

struct reader_writer_lock {
    union {
        struct waiters waiters;
        struct served served; /* the first could not hold the lock, or somebody hands it over */
    };
    uint32_t readers; /* that hold it */
    takt_id writer;   /* that holds it; then no readers do */
} __attribute__((aligned(64)));

extern struct reader_writer_lock takt_reader_writer_locks[]; /* by ID - 1 (configurator) */
extern const struct takt_reader_writer_lock_config takt_reader_writer_lock_configs[]; /* the same */
extern const uint32_t takt_reader_writer_lock_count;

/* The value of `waiters.next`: hands the lock to the first that waits, if that may hold it. */
struct task *reader_writer_lock_next(struct waiters *waiters, bool *more);

/* Gives back one lock that the task holds, at the end of its job; false if it holds none. On its
 * core, interrupts disabled; does not dispatch. Bound: a word for 64 locks of the system. */
bool reader_writer_lock_give_back_one(struct task *task);

/* Returns the task that writes, or one that reads, TAKT_ID_NONE: nobody holds the lock. Bound: the
 * tasks. */
takt_id reader_writer_lock_holder(takt_id id);

#endif
