/* SPDX-License-Identifier: Apache-2.0 */
/* A channel is two priority data queues that carry the numbers of its places: each number is in at
 * most one of the queues, or with one task, so a place is written by the sender that took it from
 * the free ones, or read by the receiver that took it from the full ones, and by nobody else. The
 * kernel's queues order the accesses: what a task did before it sent a number is done when another
 * has received it. docs/design/placements.md, section 5. */
#include "channel.h"

#include <string.h>

#include <takt/channel.h>
#include <takt/priority_data_queue.h>
#include <takt/task.h>

/* The word of a message has its place and its size in 31 bits: none is longer as a command. */
enum { PLACE_BITS = 10, PLACE_MASK = (1 << PLACE_BITS) - 1 };

/* The queue of free places has one priority. */
enum { FREE_PRIORITY = 1 };

/* A word of a message, whatever the sender's type is. */
typedef uint64_t __attribute__((may_alias)) message_word;

static const struct channel *channel_of(takt_id id) {
    return id - 1 < takt_channel_count ? &takt_channels[id - 1] : 0;
}

/* --- Senders ---------------------------------------------------------------------------------- */

/* Copies a message into a place, in whole words: a store across a bus costs as much for a byte.
 * Bound: the longest message. */
static void fill(uint8_t *place, const uint8_t *message, uint32_t size) {
    volatile message_word *to = (volatile message_word *)place;
    message_word word = 0;
    uint32_t whole = size / sizeof word;
    if (((uintptr_t)message & (sizeof word - 1)) == 0) {
        const message_word *from = (const message_word *)message;
        for (uint32_t i = 0; i < whole; i++) {
            to[i] = from[i];
        }
    } else {
        for (uint32_t i = 0; i < whole; i++) {
            memcpy(&word, message + i * sizeof word, sizeof word);
            to[i] = word;
        }
    }
    if (size % sizeof word != 0) {
        memcpy(&word, message + whole * sizeof word, size % sizeof word);
        to[whole] = word;
    }
}

takt_error takt_channel_send_for(takt_id id, const void *message, size_t size, unsigned priority,
                                 takt_time timeout) {
    const struct channel *channel = channel_of(id);
    if (channel == 0) {
        return TAKT_E_ID;
    }
    if (message == 0 || size - 1 >= channel->size || priority - 1 >= channel->priorities) {
        return TAKT_E_PAR;
    }
    intptr_t place;
    unsigned ignored;
    takt_error error =
        takt_priority_data_queue_receive_for(channel->free, &place, &ignored, timeout);
    if (error != TAKT_OK) {
        return error;
    }
    fill(channel->memory + (size_t)place * channel->stride, message, (uint32_t)size);
    /* It does not wait: the queue has room for the numbers of all places. */
    return takt_priority_data_queue_try_send(channel->full, (intptr_t)size << PLACE_BITS | place,
                                             priority);
}

takt_error takt_channel_send(takt_id channel, const void *message, size_t size, unsigned priority) {
    return takt_channel_send_for(channel, message, size, priority, TAKT_FOR_EVER);
}

takt_error takt_channel_try_send(takt_id channel, const void *message, size_t size,
                                 unsigned priority) {
    return takt_channel_send_for(channel, message, size, priority, 0);
}

/* --- The receiver ----------------------------------------------------------------------------- */

/* Puts a place into the queue of free ones, which has room for all; refused where no service may be
 * called. The caller notes before that it has the place no more: a job that is terminated in
 * between loses it, and no place is put twice. */
static takt_error put(const struct channel *channel, uint32_t place) {
    return takt_priority_data_queue_try_send(channel->free, (intptr_t)place, FREE_PRIORITY);
}

/* Releases the message that is held, if one is. */
static takt_error give_back(const struct channel *channel) {
    struct channel_reader *reader = channel->reader;
    uint32_t held = reader->held;
    if (held == 0) {
        return TAKT_OK;
    }
    reader->held = 0;
    takt_error error = put(channel, held - 1);
    if (error != TAKT_OK) {
        reader->held = held;
    } else if (channel->raises) {
        /* Behind the place, so that who waits for it does not preempt a caller that is raised. If
         * a job before has received the message, its end has released it: then this does nothing.
         */
        takt_priority_data_queue_release(channel->full);
    }
    return error;
}

/* Puts all places into the queue of free ones, once. Bound: the places. */
static takt_error hand_out(const struct channel *channel) {
    struct channel_reader *reader = channel->reader;
    while (reader->handed_out < channel->places) {
        uint32_t place = reader->handed_out;
        reader->handed_out = place + 1;
        takt_error error = put(channel, place);
        if (error != TAKT_OK) {
            reader->handed_out = place;
            return error;
        }
    }
    return TAKT_OK;
}

takt_error takt_channel_receive_for(takt_id id, const void **message, size_t *size,
                                    unsigned *priority, takt_time timeout) {
    const struct channel *channel = channel_of(id);
    if (channel == 0) {
        return TAKT_E_ID;
    }
    if (takt_task_self() != channel->receiver) {
        return TAKT_E_ILUSE;
    }
    if (message == 0 || size == 0 || priority == 0 || timeout < 0) {
        return TAKT_E_PAR;
    }
    takt_error error = give_back(channel);
    if (error == TAKT_OK) {
        error = hand_out(channel);
    }
    intptr_t word;
    if (error == TAKT_OK) {
        error = takt_priority_data_queue_receive_for(channel->full, &word, priority, timeout);
    }
    if (error == TAKT_OK) {
        size_t place = (size_t)word & PLACE_MASK;
        channel->reader->held = (uint32_t)place + 1;
        *message = channel->memory + place * channel->stride;
        *size = (size_t)word >> PLACE_BITS;
    }
    return error;
}

takt_error takt_channel_receive(takt_id channel, const void **message, size_t *size,
                                unsigned *priority) {
    return takt_channel_receive_for(channel, message, size, priority, TAKT_FOR_EVER);
}

takt_error takt_channel_try_receive(takt_id channel, const void **message, size_t *size,
                                    unsigned *priority) {
    return takt_channel_receive_for(channel, message, size, priority, 0);
}

takt_error takt_channel_release(takt_id id, const void *message) {
    const struct channel *channel = channel_of(id);
    if (channel == 0) {
        return TAKT_E_ID;
    }
    if (takt_task_self() != channel->receiver) {
        return TAKT_E_ILUSE;
    }
    uint32_t held = channel->reader->held;
    if (held == 0) {
        return TAKT_E_OBJ;
    }
    if (message != channel->memory + (size_t)(held - 1) * channel->stride) {
        return TAKT_E_PAR;
    }
    return give_back(channel);
}
