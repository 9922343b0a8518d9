/* SPDX-License-Identifier: Apache-2.0 */
/* The table of channels, which the configurator writes from the description (`messaging.c`). */
#ifndef LIBRARIES_MESSAGING_CHANNEL_H
#define LIBRARIES_MESSAGING_CHANNEL_H

#include <stdbool.h>

#include <takt/types.h>

/* What the receiver notes, and nobody else reads or writes: a line of its own. */
struct channel_reader {
    uint32_t handed_out; /* places that were put into the queue of free ones at the first receive */
    uint32_t held;       /* the place whose message is being read, counted from 1; 0: none */
} __attribute__((aligned(64)));

struct channel {
    takt_id full;     /* priority data queue of messages, each by its place and size */
    takt_id free;     /* priority data queue of places without a message */
    takt_id receiver; /* the only task that receives */
    uint32_t places, priorities;
    uint32_t size, stride; /* of the longest message, and from place to place, in bytes */
    bool raises;           /* its messages raise the receiver until it has read them */
    uint8_t *memory;       /* the first place */
    struct channel_reader *reader;
};

extern const struct channel takt_channels[];
extern const uint32_t takt_channel_count;

#endif
