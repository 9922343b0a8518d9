/* SPDX-License-Identifier: Apache-2.0 */
/* Message buffers: messages of any length up to a limit, from tasks of any cores to tasks of any
 * cores, first in, first out, copied whole. A buffer of size 0 hands each message from a task that
 * waits to send it to one that waits for it. uITRON 4.0 section 4.5.2.
 *
 * A copy is made with interrupts disabled: the limit on a message bounds how long. */
#ifndef INCLUDE_TAKT_MESSAGE_BUFFER_H
#define INCLUDE_TAKT_MESSAGE_BUFFER_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the message to the first waiting receiver, or else into the buffer. If there is no room,
 * waits for room; waiting senders are served in the described order (snd_mbf). No sender overtakes
 * those before it, even if its own message fits: in FIFO order those are all waiting senders, in
 * priority order those of the same or a higher priority. A message takes its size, rounded up to 8
 * bytes, and 8 bytes more.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, size 0 or above the limit. */
TAKT_MUST_USE takt_error takt_message_buffer_send(takt_id buffer, const void *message, size_t size);

/* Sends a message without waiting (psnd_mbf). A handler counts as the last of all waiting senders.
 * Context: any. Errors: those of takt_message_buffer_send except TAKT_E_CTX; TAKT_E_TMOUT: there is
 * no room, or a waiting sender comes first. */
TAKT_MUST_USE takt_error takt_message_buffer_try_send(takt_id buffer, const void *message,
                                                      size_t size);

/* Sends a message like takt_message_buffer_send, waiting for at most `timeout` (tsnd_mbf); 0 does
 * not wait. The message must not change until the call returns.
 * Context: task. Errors: those of takt_message_buffer_send; TAKT_E_PAR: also a negative timeout;
 * TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_message_buffer_send_for(takt_id buffer, const void *message,
                                                      size_t size, takt_time timeout);

/* Copies the oldest message to `message`, which must have room for the longest one, and its size to
 * `*size`; or waits for a message. Receivers are served in FIFO order (rcv_mbf).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null. */
TAKT_MUST_USE takt_error takt_message_buffer_receive(takt_id buffer, void *message, size_t *size);

/* Receives a message without waiting (prcv_mbf).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_TMOUT: there is no message. */
TAKT_MUST_USE takt_error takt_message_buffer_try_receive(takt_id buffer, void *message,
                                                         size_t *size);

/* Receives a message like takt_message_buffer_receive, waiting for at most `timeout` (trcv_mbf); 0
 * does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_message_buffer_receive_for(takt_id buffer, void *message,
                                                         size_t *size, takt_time timeout);

/* Empties the buffer (ini_mbf). The waits of senders and receivers end with TAKT_E_DLT, each in a
 * section of its own, so calls of other tasks may come in between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines, and this one is
 * not `unrestricted`. */
takt_error takt_message_buffer_reset(takt_id buffer);

#ifdef __cplusplus
}
#endif

#endif
