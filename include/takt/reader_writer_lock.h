/* SPDX-License-Identifier: Apache-2.0 */
/* Reader-writer locks: any number of tasks that read, or one that writes, of any cores.
 *
 * Nobody passes who waits: a task that asks gets the lock at once only if it would be the first of
 * those that wait, in the order of the description. A writer that leaves the lock, or the last
 * reader, hands it on: to the first if that writes, else to all that read up to the next that
 * writes. So neither readers nor writers starve; with `order = "priority"` they wait for higher
 * ones only.
 *
 * Who holds a lock cannot ask for it again, nor change from reading to writing. A job that ends,
 * however that is, gives back what it holds. */
#ifndef INCLUDE_TAKT_READER_WRITER_LOCK_H
#define INCLUDE_TAKT_READER_WRITER_LOCK_H

#include <takt/types.h>

/* Takes the lock to read, or to write, and waits for it. Time: constant; by priority, bounded by
 * the tasks that wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: the task holds it. */
TAKT_MUST_USE takt_error takt_reader_writer_lock_read(takt_id lock);
TAKT_MUST_USE takt_error takt_reader_writer_lock_write(takt_id lock);

/* The same without waiting.
 * Context: task; also with dispatch disabled. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: the task
 * holds it; TAKT_E_TMOUT: it would have to wait. */
TAKT_MUST_USE takt_error takt_reader_writer_lock_try_read(takt_id lock);
TAKT_MUST_USE takt_error takt_reader_writer_lock_try_write(takt_id lock);

/* The same, waiting for at most `timeout`; 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: negative; TAKT_E_ILUSE: the task holds
 * it; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_reader_writer_lock_read_for(takt_id lock, takt_time timeout);
TAKT_MUST_USE takt_error takt_reader_writer_lock_write_for(takt_id lock, takt_time timeout);

/* Gives the lock back. Time: bounded by the readers that it lets in.
 * Context: task; also with dispatch disabled. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: the task
 * does not hold it. */
takt_error takt_reader_writer_lock_unlock(takt_id lock);

#endif
