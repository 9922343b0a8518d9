/* SPDX-License-Identifier: Apache-2.0 */
/* Reader-writer locks: held by any number of reading tasks, or by one writing task, of any cores.
 *
 * No task overtakes waiting ones: a task gets the lock at once only if it would be the first of the
 * waiting tasks, in the described order. A writer that releases the lock, or the last reader,
 * grants it to the first waiting task if that one writes, otherwise to all waiting readers before
 * the next writer. So neither readers nor writers starve; with `order = "priority"` a task waits
 * only for higher ones.
 *
 * A holder can neither request the lock again nor change from reading to writing. A job that ends
 * for any reason releases all locks that it holds. */
#ifndef INCLUDE_TAKT_READER_WRITER_LOCK_H
#define INCLUDE_TAKT_READER_WRITER_LOCK_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the lock for reading or for writing, or waits for it.
 * Time: constant; in priority order, bounded by the waiting tasks.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: the task holds it already. */
TAKT_MUST_USE takt_error takt_reader_writer_lock_read(takt_id lock);
TAKT_MUST_USE takt_error takt_reader_writer_lock_write(takt_id lock);

/* Takes the lock without waiting. Context: task; also with dispatch disabled.
 * Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: the task holds it already; TAKT_E_TMOUT: it would
 * have to wait. */
TAKT_MUST_USE takt_error takt_reader_writer_lock_try_read(takt_id lock);
TAKT_MUST_USE takt_error takt_reader_writer_lock_try_write(takt_id lock);

/* Takes the lock, waiting for at most `timeout`; 0 does not wait. Context: task.
 * Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: negative; TAKT_E_ILUSE: the task holds it already;
 * TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_reader_writer_lock_read_for(takt_id lock, takt_time timeout);
TAKT_MUST_USE takt_error takt_reader_writer_lock_write_for(takt_id lock, takt_time timeout);

/* Releases the lock. Time: bounded by the readers to which it is granted.
 * Context: task; also with dispatch disabled. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: the task
 * does not hold it. */
takt_error takt_reader_writer_lock_unlock(takt_id lock);

#ifdef __cplusplus
}
#endif

#endif
