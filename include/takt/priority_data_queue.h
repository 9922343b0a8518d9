/* SPDX-License-Identifier: Apache-2.0 */
/* Priority data queues: words from tasks of any cores to tasks of any cores, each with a priority
 * of 1, the highest, to the `priorities` of the description; first in, first out among equals.
 * Every call takes the same time however many words there are. TOPPERS' third generation. */
#ifndef INCLUDE_TAKT_PRIORITY_DATA_QUEUE_H
#define INCLUDE_TAKT_PRIORITY_DATA_QUEUE_H

#include <takt/types.h>

/* Hands the word to the first task that waits for one, or puts it behind those of its priority, or
 * waits until there is a place, in the order of the description, which is that of tasks: only in a
 * place does the word's priority count (snd_pdq).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: the queue has no such priority. */
TAKT_MUST_USE takt_error takt_priority_data_queue_send(takt_id queue, intptr_t word,
                                                       unsigned priority);

/* The same without waiting (psnd_pdq).
 * Context: any. Errors: TAKT_E_ID, TAKT_E_PAR; TAKT_E_TMOUT: there is no place. */
TAKT_MUST_USE takt_error takt_priority_data_queue_try_send(takt_id queue, intptr_t word,
                                                           unsigned priority);

/* As takt_priority_data_queue_send, for at most `timeout` (tsnd_pdq); 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX, TAKT_E_PAR: also negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_priority_data_queue_send_for(takt_id queue, intptr_t word,
                                                           unsigned priority, takt_time timeout);

/* Takes the oldest word of the highest priority, waiting for one, first come, first served;
 * `*priority`: with which it was sent (rcv_pdq).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null. */
TAKT_MUST_USE takt_error takt_priority_data_queue_receive(takt_id queue, intptr_t *word,
                                                          unsigned *priority);

/* The same without waiting (prcv_pdq).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_TMOUT: there is none. */
TAKT_MUST_USE takt_error takt_priority_data_queue_try_receive(takt_id queue, intptr_t *word,
                                                              unsigned *priority);

/* As takt_priority_data_queue_receive, for at most `timeout` (trcv_pdq); 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_priority_data_queue_receive_for(takt_id queue, intptr_t *word,
                                                              unsigned *priority,
                                                              takt_time timeout);

/* Makes the queue what it was at the start: empty (ini_pdq). Who waits for it
 * gets TAKT_E_DLT. In sections of their own, so what others do meanwhile may come between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines,
 * and this one is not `unrestricted`. */
takt_error takt_priority_data_queue_reset(takt_id queue);

#endif
