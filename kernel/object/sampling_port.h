/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling ports: a single-writer buffer with a time beside each slot. docs/design/partitions.md.
 */
#ifndef KERNEL_SAMPLING_PORT_H
#define KERNEL_SAMPLING_PORT_H

#include <takt/sampling_port.h>

#include "object/buffer_slots.h"

struct takt_sampling_port_config {
    struct takt_buffer_config buffer; /* the source is its writer, the destinations its readers */
    takt_time refresh;
    takt_time *written; /* by slot, guarded as the slot is: 1 + when its write began; 0: never */
};

extern struct buffer takt_sampling_ports[];                                 /* by ID - 1 */
extern const struct takt_sampling_port_config takt_sampling_port_configs[]; /* the same */
extern const uint32_t takt_sampling_port_count;

/* Writes that there is no message, as before the first. In place of the source, which has no job.
 */
void sampling_port_empty(takt_id id);

#endif
