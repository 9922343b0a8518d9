/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes: one task at a time holds one, and gives it back itself; a job that ends or is ended
 * gives back all that it holds. uITRON 4.0 section 4.5.1.
 *
 * Which tasks lock a mutex, and what it does about priorities, stands in the description:
 * "ceiling": the holder has at least the described ceiling or, without one, the highest of the
 * described priorities of all users; "inherit": the holder has at least the highest priority of
 * those that wait, and passes it on to the holder of the mutex that it waits for itself; "none":
 * the holder keeps its own priority; these three for tasks of one core; "msrp": dispatch is
 * disabled from lock to unlock, and tasks of other cores spin in FIFO order, with interrupts
 * enabled. Nobody holds two of these. */
#ifndef INCLUDE_TAKT_MUTEX_H
#define INCLUDE_TAKT_MUTEX_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Locks the mutex, or waits for it; waiting tasks are served in the described order (loc_mtx). With
 * "msrp", also allowed with dispatch disabled.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: the description does not say that
 * this task uses the mutex, the task holds it already or, with "msrp", holds another such mutex, or
 * the task's base priority is above the ceiling. */
TAKT_MUST_USE takt_error takt_mutex_lock(takt_id mutex);

/* Locks the mutex without waiting (ploc_mtx). Also allowed with dispatch disabled.
 * Context: task. Errors: those of takt_mutex_lock; TAKT_E_TMOUT: another task holds it. */
TAKT_MUST_USE takt_error takt_mutex_try(takt_id mutex);

/* Locks the mutex like takt_mutex_lock, waiting for at most `timeout` (tloc_mtx); 0 does not wait.
 * Context: task. Errors: those of takt_mutex_lock; TAKT_E_PAR: negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_mutex_lock_for(takt_id mutex, takt_time timeout);

/* Unlocks the mutex, or hands it over to the first waiting task (unl_mtx).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: this task does not hold it. */
takt_error takt_mutex_unlock(takt_id mutex);

#ifdef __cplusplus
}
#endif

#endif
