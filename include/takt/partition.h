/* SPDX-License-Identifier: Apache-2.0 */
/* The calling task's own partition: how it was started, and to start it again or stop it. After
 * ARINC 653. Only tasks of partitions call these, of a system in which the description gives some
 * partition `restarts`, or lets an error restart it.
 *
 * In a restart no task of the partition has a job. Semaphores have their initial counts, queuing
 * ports that the partition reads and sampling ports that it writes are empty, and timeouts and
 * queued activations are forgotten. Then tasks begin as at the start of the system: those with
 * `start = true` at once, periodic ones at their next release. */
#ifndef INCLUDE_TAKT_PARTITION_H
#define INCLUDE_TAKT_PARTITION_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum takt_partition_mode {
    TAKT_PARTITION_IDLE,       /* its tasks are stopped, for good */
    TAKT_PARTITION_WARM_START, /* they begin anew, and the variables are as they are */
    TAKT_PARTITION_COLD_START, /* and the variables have their initial values */
};

/* Stops the partition or starts it again; ends the calling job (SET_PARTITION_MODE).
 * Errors, and the job goes on: TAKT_E_PAR: no such mode; TAKT_E_ILUSE: the partition's `restarts`
 * are used up, or it has none. */
takt_error takt_partition_set_mode(enum takt_partition_mode mode);

enum takt_partition_start {
    TAKT_START_SYSTEM, /* with the system */
    TAKT_START_WARM,   /* by a restart of this kind, as the latest one */
    TAKT_START_COLD,
};

struct takt_partition_state {
    uint32_t start;    /* enum takt_partition_start */
    uint32_t restarts; /* so far */
};

/* Gives the partition's state (GET_PARTITION_STATUS). Errors: TAKT_E_MACV. */
takt_error takt_partition_state(struct takt_partition_state *state);

#ifdef __cplusplus
}
#endif

#endif
