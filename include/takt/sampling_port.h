/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling ports: the latest message of one task for tasks of other partitions, or of none, with
 * its age. After ARINC 653.
 *
 * Source and destinations never wait for each other, as with buffers. A message is valid while it
 * is no older than the port's refresh period. */
#ifndef INCLUDE_TAKT_SAMPLING_PORT_H
#define INCLUDE_TAKT_SAMPLING_PORT_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct takt_sample {
    takt_time age; /* of the message in ns, from the beginning of the call that wrote it */
    bool valid;    /* whether the age is at most the refresh period */
};

/* Publishes the message, as many bytes as the description says
 * (WRITE_SAMPLING_MESSAGE).
 * Context: task, the port's source.
 * Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_ILUSE: another task is the source. */
takt_error takt_sampling_port_write(takt_id port, const void *message);

/* Copies the latest message to `message`, and says how old it is; an old message is copied, too,
 * and not valid (READ_SAMPLING_MESSAGE). Context: task, one of the port's destinations. Errors:
 * TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_ILUSE: the task is not one of the destinations; TAKT_E_OBJ:
 * nothing has been written yet, and nothing is copied. */
TAKT_MUST_USE takt_error takt_sampling_port_read(takt_id port, void *message,
                                                 struct takt_sample *sample);

#ifdef __cplusplus
}
#endif

#endif
