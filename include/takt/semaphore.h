/* SPDX-License-Identifier: Apache-2.0 */
/* Counting semaphores, for tasks of any cores. uITRON 4.0 section 4.4.1. */
#ifndef INCLUDE_TAKT_SEMAPHORE_H
#define INCLUDE_TAKT_SEMAPHORE_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gives one count to the first waiting task, or else increments the count (sig_sem).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_QOVR: the count has reached its maximum. */
takt_error takt_semaphore_signal(takt_id semaphore);

/* Takes one count, or waits for it; waiting tasks are served in the described order (wai_sem).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX. */
TAKT_MUST_USE takt_error takt_semaphore_wait(takt_id semaphore);

/* Takes one count without waiting (pol_sem).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_TMOUT: the count is 0. */
TAKT_MUST_USE takt_error takt_semaphore_try(takt_id semaphore);

/* Takes one count like takt_semaphore_wait, waiting for at most `timeout` (twai_sem); 0 polls.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX, TAKT_E_PAR: negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_semaphore_wait_for(takt_id semaphore, takt_time timeout);

/* Gives the semaphore its described count, as at the start (ini_sem). The waits of waiting tasks
 * end with TAKT_E_DLT, each in a section of its own, so calls of other tasks may come in between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines, and this one is
 * not `unrestricted`. */
takt_error takt_semaphore_reset(takt_id semaphore);

#ifdef __cplusplus
}
#endif

#endif
