/* SPDX-License-Identifier: Apache-2.0 */
/* Queuing ports: a message buffer with one sender and one receiver. docs/design/partitions.md. */
#ifndef KERNEL_QUEUING_PORT_H
#define KERNEL_QUEUING_PORT_H

#include <takt/queuing_port.h>

#include "config.h"

struct takt_queuing_port_config {
    const char *name;
    takt_id message_buffer;
    takt_id source, destination; /* tasks */
    uint8_t *received; /* where messages arrive for a destination in a partition, before the gate
                          copies them: room for the longest. Null: the destination is in S-mode */
};

struct queuing_port {
    uint64_t overflows; /* written by the source, relaxed; read by anyone */
} __attribute__((aligned(64)));

extern struct queuing_port takt_queuing_ports[];                          /* by ID - 1 */
extern const struct takt_queuing_port_config takt_queuing_port_configs[]; /* the same */
extern const uint32_t takt_queuing_port_count;

#endif
