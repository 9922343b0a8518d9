/* SPDX-License-Identifier: Apache-2.0 */
/* Data queues: words from tasks of any cores to tasks of any cores, first in, first out. A queue
 * of no places hands each word from a task that waits to send it to one that waits for it. uITRON
 * 4.0 section 4.4.3. */
#ifndef INCLUDE_TAKT_DATA_QUEUE_H
#define INCLUDE_TAKT_DATA_QUEUE_H

#include <takt/types.h>

/* Hands the word to the first task that waits for one, or puts it behind the others, or waits
 * until there is a place, in the order of the description (snd_dtq).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX. */
TAKT_MUST_USE takt_error takt_data_queue_send(takt_id queue, intptr_t word);

/* The same without waiting (psnd_dtq, ipsnd_dtq).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_TMOUT: there is no place. */
TAKT_MUST_USE takt_error takt_data_queue_try_send(takt_id queue, intptr_t word);

/* As takt_data_queue_send, for at most `timeout` (tsnd_dtq); 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX, TAKT_E_PAR: negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_data_queue_send_for(takt_id queue, intptr_t word, takt_time timeout);

/* The same, and where there is no place the oldest word is dropped (fsnd_dtq, ifsnd_dtq).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_ILUSE: the queue has no places at all. */
takt_error takt_data_queue_force_send(takt_id queue, intptr_t word);

/* Takes the oldest word, waiting for one, first come, first served (rcv_dtq).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null. */
TAKT_MUST_USE takt_error takt_data_queue_receive(takt_id queue, intptr_t *word);

/* The same without waiting (prcv_dtq).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_TMOUT: there is none. */
TAKT_MUST_USE takt_error takt_data_queue_try_receive(takt_id queue, intptr_t *word);

/* As takt_data_queue_receive, for at most `timeout` (trcv_dtq); 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_data_queue_receive_for(takt_id queue, intptr_t *word,
                                                     takt_time timeout);

/* Makes the queue what it was at the start: empty (ini_dtq). Who waits for it
 * gets TAKT_E_DLT. In sections of their own, so what others do meanwhile may come between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines,
 * and this one is not `unrestricted`. */
takt_error takt_data_queue_reset(takt_id queue);

#endif
