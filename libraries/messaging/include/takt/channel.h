/* SPDX-License-Identifier: Apache-2.0 */
/* Channels: messages from any tasks of any cores to the one task that the description names, which
 * reads them in place. The sender copies a message once, into a free place; a channel has as many
 * places as the description says, and one more for the message that is read. Messages have
 * priorities of 1, the highest, to the `priorities` of the description; first in, first out among
 * equals. They are there under every placement of the kernel, and are no part of uITRON.
 *
 * With `raises` in the description, messages have priorities of tasks: one that was sent raises the
 * receiver to its own priority until the receiver has released it.
 *
 * Until the receiver's first call of a receive, the channel counts as full.
 *
 * If a sender's job is terminated within a send, the place that it was about to fill may be lost:
 * the channel has one place less from then on, and none of its messages is damaged. A place is also
 * lost if the receiver's job is terminated within a call below, with the message in it. The message
 * that a receiver was reading when its job ended is released by the task's next receive. */
#ifndef INCLUDE_TAKT_CHANNEL_H
#define INCLUDE_TAKT_CHANNEL_H

#include <takt/messaging_system.h>
#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies a message of `size` bytes into the channel. If it is full, waits for a place; waiting
 * senders get places in FIFO order, in which the messages' priorities do not count. The copy is
 * shortest if `message` is a multiple of 8.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, no byte or more than the longest
 * message, or no such priority. */
TAKT_MUST_USE takt_error takt_channel_send(takt_id channel, const void *message, size_t size,
                                           unsigned priority);

/* Sends a message without waiting.
 * Context: any. Errors: TAKT_E_ID, TAKT_E_PAR; TAKT_E_TMOUT: the channel is full. */
TAKT_MUST_USE takt_error takt_channel_try_send(takt_id channel, const void *message, size_t size,
                                               unsigned priority);

/* Sends a message like takt_channel_send, waiting for at most `timeout`; 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX, TAKT_E_PAR: also negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_channel_send_for(takt_id channel, const void *message, size_t size,
                                               unsigned priority, takt_time timeout);

/* Releases the message that was received before, if it is still held, and waits for the oldest one
 * of the highest priority. `*message` points to it, at a multiple of 64, until it is released;
 * `*size` receives its size and `*priority` the priority with which it was sent.
 * Context: the channel's receiver. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: the caller is not
 * the receiver; TAKT_E_PAR: null. */
TAKT_MUST_USE takt_error takt_channel_receive(takt_id channel, const void **message, size_t *size,
                                              unsigned *priority);

/* Receives a message without waiting. Also without one, the message before is released.
 * Context: the channel's receiver. Errors: those of takt_channel_receive; TAKT_E_TMOUT: the channel
 * is empty. */
TAKT_MUST_USE takt_error takt_channel_try_receive(takt_id channel, const void **message,
                                                  size_t *size, unsigned *priority);

/* Receives a message like takt_channel_receive, waiting for at most `timeout`; 0 does not wait.
 * Also after a timeout, the message before is released. Context: the channel's receiver. Errors:
 * those of takt_channel_receive, TAKT_E_PAR: also negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_channel_receive_for(takt_id channel, const void **message,
                                                  size_t *size, unsigned *priority,
                                                  takt_time timeout);

/* Releases the message before the next receive does: its place is free for a sender, and the caller
 * must not read it any more.
 * Context: the channel's receiver. Errors: TAKT_E_ID; TAKT_E_CTX: the CPU is locked; TAKT_E_ILUSE:
 * the caller is not the receiver; TAKT_E_OBJ: no message is held; TAKT_E_PAR: this is not the one
 * that is held. */
takt_error takt_channel_release(takt_id channel, const void *message);

#ifdef __cplusplus
}
#endif

#endif
