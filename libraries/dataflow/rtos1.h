/* SPDX-License-Identifier: Apache-2.0 */
/* What stands for the scoreboard and the word of the decision with the runtime "rtos1": a copy of
 * them in the scratchpad of each core, into which the engines of the others write. */
#ifndef LIBRARIES_DATAFLOW_RTOS1_H
#define LIBRARIES_DATAFLOW_RTOS1_H

#include <stddef.h>

#include <takt/dataflow_system.h>

#include "mesh.h"

/* At one offset in the control core's scratchpad, at another one in each worker's. */
struct messages {
    /* Row c is core c's entry, as the scoreboard would have it. Core c's engine writes it in the
     * scratchpads of others, core c's director in the own one. */
    uint32_t rows[9];
    /* The engine and the director of the core of `until` write it likewise. */
    uint64_t decision;
};

static inline uint64_t messages_offset(uint32_t core) {
    return core == 0 ? DATAFLOW_MESSAGES_CONTROL : DATAFLOW_MESSAGES_WORKER;
}

/* The messages in the scratchpad of this core. */
static inline volatile struct messages *messages_of(uint32_t core) {
    return (volatile struct messages *)(takt_device_dataflow_scratchpad + messages_offset(core));
}

/* Returns what another core's row has for this one: in bits 1 and 0 its answers, in bits 17 and 16
 * its messages. `field`: the other core's number among all but this one. */
static inline uint32_t messages_row(uint32_t own, uint32_t field) {
    const uint32_t core = field + (field >= own);
    return messages_of(own)->rows[core] >> 2 * (own < core ? own : own - 1);
}

/* Sends a part of this core's messages to the same part of other cores'. False: the engine refuses
 * it. Bound: two transfers, as the control core has them elsewhere. */
static inline bool messages_send(uint32_t own, uint64_t part, uint64_t length, uint32_t cores) {
    struct transfer transfer = {.source = messages_offset(own) + part, .length = length};
    bool is_sent = true;
    if (cores & 1) {
        transfer.destination = DATAFLOW_MESSAGES_CONTROL + part;
        transfer.cores = 1;
        is_sent = mesh_transfer(ENGINE_SEND, &transfer);
    }
    if (cores & ~1u) {
        transfer.destination = DATAFLOW_MESSAGES_WORKER + part;
        transfer.cores = cores & ~1u;
        is_sent &= mesh_transfer(ENGINE_SEND, &transfer);
    }
    return is_sent;
}

/* Shows other cores how many messages this one has sent and answered. */
static inline bool messages_publish(uint32_t own, uint32_t entry, uint32_t cores) {
    if (cores == 0) {
        return true;
    }
    messages_of(own)->rows[own] = entry;
    return messages_send(own, offsetof(struct messages, rows) + own * sizeof entry, sizeof entry,
                         cores);
}

#endif
