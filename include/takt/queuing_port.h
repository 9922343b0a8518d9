/* SPDX-License-Identifier: Apache-2.0 */
/* Queuing ports: messages from one task to one task, of other partitions or of none, first in,
 * first out. After ARINC 653.
 *
 * A source never waits: where there is no room the message is lost, the source has an error, and
 * the port counts it. So no destination, stopped or slow, holds up a source. */
#ifndef INCLUDE_TAKT_QUEUING_PORT_H
#define INCLUDE_TAKT_QUEUING_PORT_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_queuing_port_state {
    uint32_t count;     /* the number of messages that wait */
    uint64_t overflows; /* the number of messages that found no room */
};

/* Sends a message of `size` bytes (SEND_QUEUING_MESSAGE with a timeout of 0).
 * Context: task, the port's source.
 * Errors: TAKT_E_ID; TAKT_E_ILUSE: another task is the source; TAKT_E_PAR: null, size 0 or above
 * the longest message; TAKT_E_QOVR: there is no room, and the message is lost. */
TAKT_MUST_USE takt_error takt_queuing_port_send(takt_id port, const void *message, size_t size);

/* Copies the oldest message to `message`, which must have room for the longest one, and its size to
 * `*size`; or waits for one at most `timeout` (RECEIVE_QUEUING_MESSAGE). 0 does not wait.
 * Context: task, the port's destination.
 * Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: another task is the destination; TAKT_E_PAR: null,
 * negative; TAKT_E_TMOUT; TAKT_E_RLWAI. */
TAKT_MUST_USE takt_error takt_queuing_port_receive(takt_id port, void *message, size_t *size,
                                                   takt_time timeout);

/* Gives the state of a port (GET_QUEUING_PORT_STATUS).
 * Context: any; in a partition its source or destination is a task of the partition.
 * Errors: TAKT_E_ID; TAKT_E_PAR: null. */
takt_error takt_queuing_port_state(takt_id port, struct takt_queuing_port_state *state);

#ifdef __cplusplus
}
#endif

#endif
