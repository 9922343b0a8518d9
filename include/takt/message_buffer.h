/* SPDX-License-Identifier: Apache-2.0 */
/* Message buffers: messages of any length up to a limit, from tasks of any cores to tasks of any
 * cores, first in, first out, copied whole. A buffer of size 0 hands each message from a task that
 * waits to send it to one that waits for it. uITRON 4.0 section 4.5.2.
 *
 * A copy is made with interrupts disabled: the limit on a message bounds how long. */
#ifndef INCLUDE_TAKT_MESSAGE_BUFFER_H
#define INCLUDE_TAKT_MESSAGE_BUFFER_H

#include <takt/types.h>

/* Copies the message to the first task that waits for one, or behind the others, or waits until
 * there is room, in the order of the description; nobody overtakes those before it, whether or not
 * its own message fits: in FIFO order all that wait, by priority those of its own or a higher one
 * (snd_mbf). A message takes its size, rounded up to 8 bytes, and 8 bytes.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, size 0 or above the limit. */
TAKT_MUST_USE takt_error takt_message_buffer_send(takt_id buffer, const void *message, size_t size);

/* The same without waiting (psnd_mbf). Context: any. Errors: as above but TAKT_E_CTX; TAKT_E_TMOUT:
 * there is no room, or somebody comes first. A handler comes behind all that wait. */
TAKT_MUST_USE takt_error takt_message_buffer_try_send(takt_id buffer, const void *message,
                                                      size_t size);

/* As takt_message_buffer_send, for at most `timeout` (tsnd_mbf); 0 does not wait. The message must
 * stay as it is until the call returns.
 * Errors: as above; TAKT_E_PAR: also a negative timeout; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_message_buffer_send_for(takt_id buffer, const void *message,
                                                      size_t size, takt_time timeout);

/* Copies the oldest message to `message`, which has room for the longest, and its size to `*size`,
 * waiting for one, first come, first served (rcv_mbf).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null. */
TAKT_MUST_USE takt_error takt_message_buffer_receive(takt_id buffer, void *message, size_t *size);

/* The same without waiting (prcv_mbf).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_TMOUT: there is none. */
TAKT_MUST_USE takt_error takt_message_buffer_try_receive(takt_id buffer, void *message,
                                                         size_t *size);

/* As takt_message_buffer_receive, for at most `timeout` (trcv_mbf); 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_message_buffer_receive_for(takt_id buffer, void *message,
                                                         size_t *size, takt_time timeout);

/* Empties the buffer (ini_mbf). Who sends or receives gets TAKT_E_DLT, in sections of their own, so
 * what others do meanwhile may come between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines,
 * and this one is not `unrestricted`. */
takt_error takt_message_buffer_reset(takt_id buffer);

#endif
