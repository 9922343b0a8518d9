/* SPDX-License-Identifier: Apache-2.0 */
/* Data queues: words from tasks of any cores to tasks of any cores, first in, first out. A queue
 * with capacity 0 hands each word from a waiting sender to a waiting receiver. uITRON 4.0 section
 * 4.4.3. */
#ifndef INCLUDE_TAKT_DATA_QUEUE_H
#define INCLUDE_TAKT_DATA_QUEUE_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Hands the word to the first waiting receiver, or else puts it into the queue. If the queue is
 * full, waits for a place; waiting senders are served in the described order (snd_dtq).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX. */
TAKT_MUST_USE takt_error takt_data_queue_send(takt_id queue, intptr_t word);

/* Sends a word without waiting (psnd_dtq, ipsnd_dtq).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_TMOUT: the queue is full. */
TAKT_MUST_USE takt_error takt_data_queue_try_send(takt_id queue, intptr_t word);

/* Sends a word like takt_data_queue_send, waiting for at most `timeout` (tsnd_dtq); 0 does not
 * wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX, TAKT_E_PAR: negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_data_queue_send_for(takt_id queue, intptr_t word, takt_time timeout);

/* Sends a word without waiting; if the queue is full, the oldest word is dropped (fsnd_dtq,
 * ifsnd_dtq).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_ILUSE: the capacity is 0. */
takt_error takt_data_queue_force_send(takt_id queue, intptr_t word);

/* Takes the oldest word, or waits for one; receivers are served in FIFO order (rcv_dtq).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null. */
TAKT_MUST_USE takt_error takt_data_queue_receive(takt_id queue, intptr_t *word);

/* Takes the oldest word without waiting (prcv_dtq).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_TMOUT: the queue is empty. */
TAKT_MUST_USE takt_error takt_data_queue_try_receive(takt_id queue, intptr_t *word);

/* Takes a word like takt_data_queue_receive, waiting for at most `timeout` (trcv_dtq); 0 does not
 * wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_data_queue_receive_for(takt_id queue, intptr_t *word,
                                                     takt_time timeout);

/* Empties the queue, as at the start (ini_dtq). The waits of waiting tasks end with TAKT_E_DLT.
 * Each of them is ended in a section of its own, so calls of other tasks may come in between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines, and this one is
 * not `unrestricted`. */
takt_error takt_data_queue_reset(takt_id queue);

#ifdef __cplusplus
}
#endif

#endif
