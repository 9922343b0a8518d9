/* SPDX-License-Identifier: Apache-2.0 */
/* Counting semaphores, for tasks of any cores. uITRON 4.0 section 4.4.1. */
#ifndef INCLUDE_TAKT_SEMAPHORE_H
#define INCLUDE_TAKT_SEMAPHORE_H

#include <takt/types.h>

/* Hands one count to the first waiting task, or keeps it (sig_sem).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_QOVR: the count stands at its maximum. */
takt_error takt_semaphore_signal(takt_id semaphore);

/* Takes one count, waiting for it in the order that the description says (wai_sem).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX. */
TAKT_MUST_USE takt_error takt_semaphore_wait(takt_id semaphore);

/* Takes one count if there is one (pol_sem).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_TMOUT: there is none. */
TAKT_MUST_USE takt_error takt_semaphore_try(takt_id semaphore);

/* As takt_semaphore_wait, for at most `timeout` (twai_sem); 0 polls.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX, TAKT_E_PAR: negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_semaphore_wait_for(takt_id semaphore, takt_time timeout);

/* Makes the semaphore what it was at the start: the described count (ini_sem). Who waits for it
 * gets TAKT_E_DLT. In sections of their own, so what others do meanwhile may come between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines,
 * and this one is not `unrestricted`. */
takt_error takt_semaphore_reset(takt_id semaphore);

#endif
