/* SPDX-License-Identifier: Apache-2.0 */
/* Priority data queues: words from tasks of any cores to tasks of any cores, each with a priority
 * of 1, the highest, to the `priorities` of the description; first in, first out among equals.
 * Every call takes the same time however many words there are. TOPPERS' third generation. */
#ifndef INCLUDE_TAKT_PRIORITY_DATA_QUEUE_H
#define INCLUDE_TAKT_PRIORITY_DATA_QUEUE_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Hands the word to the first waiting receiver, or else puts it into the queue, behind the words of
 * its priority. If the queue is full, waits for a place; waiting senders are served in the
 * described order, in which the words' priorities do not count (snd_pdq).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: the queue has no such priority. */
TAKT_MUST_USE takt_error takt_priority_data_queue_send(takt_id queue, intptr_t word,
                                                       unsigned priority);

/* Sends a word without waiting (psnd_pdq).
 * Context: any. Errors: TAKT_E_ID, TAKT_E_PAR; TAKT_E_TMOUT: the queue is full. */
TAKT_MUST_USE takt_error takt_priority_data_queue_try_send(takt_id queue, intptr_t word,
                                                           unsigned priority);

/* Sends a word like takt_priority_data_queue_send, waiting for at most `timeout` (tsnd_pdq); 0 does
 * not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX, TAKT_E_PAR: also negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_priority_data_queue_send_for(takt_id queue, intptr_t word,
                                                           unsigned priority, takt_time timeout);

/* Takes the oldest word of the highest priority, or waits for one; receivers are served in FIFO
 * order (rcv_pdq). `*priority` receives the priority with which the word was sent.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null; TAKT_E_ILUSE, here and below: the
 * queue is a channel's that raises another task; TAKT_E_OBJ, too: it raises the caller, who has not
 * released the word before. */
TAKT_MUST_USE takt_error takt_priority_data_queue_receive(takt_id queue, intptr_t *word,
                                                          unsigned *priority);

/* Takes a word without waiting (prcv_pdq).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_TMOUT: the queue is empty. */
TAKT_MUST_USE takt_error takt_priority_data_queue_try_receive(takt_id queue, intptr_t *word,
                                                              unsigned *priority);

/* Takes a word like takt_priority_data_queue_receive, waiting for at most `timeout` (trcv_pdq); 0
 * does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_priority_data_queue_receive_for(takt_id queue, intptr_t *word,
                                                              unsigned *priority,
                                                              takt_time timeout);

/* Releases the word that the caller has received, so that it raises the caller no more. Of the
 * queue NAME_full of a channel that `raises`, by its receiver: takt_channel_release calls it.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: words of the queue do not raise the
 * caller; TAKT_E_OBJ: it holds none. */
takt_error takt_priority_data_queue_release(takt_id queue);

/* Empties the queue, as at the start (ini_pdq). The waits of waiting tasks end with TAKT_E_DLT,
 * each in a section of its own, so calls of other tasks may come in between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines, and this one is
 * not `unrestricted`. */
takt_error takt_priority_data_queue_reset(takt_id queue);

#ifdef __cplusplus
}
#endif

#endif
