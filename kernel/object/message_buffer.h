/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_MESSAGE_BUFFER_H
#define KERNEL_MESSAGE_BUFFER_H

#include <takt/message_buffer.h>

#include "config.h"
#include "object/served.h"

struct takt_message_buffer_config {
    const char *name;
    uint32_t size;  /* of the ring, bytes: a multiple of 8 */
    uint32_t limit; /* longest message */
    uint8_t *ring;
    bool by_priority; /* the order of waiting senders; else FIFO */
};

struct message_buffer {
    /* Senders, the first of which finds no room, or is about to be given it; or receivers, while
     * there is no message and no sender: never both. */
    union {
        struct waiters waiters;
        struct served served;
    };
    size_t first, used; /* bytes of the ring; multiples of 8 */
    size_t count;       /* messages in it */
} __attribute__((aligned(64)));

extern struct message_buffer takt_message_buffers[]; /* by ID - 1 (configurator) */
extern const struct takt_message_buffer_config takt_message_buffer_configs[]; /* the same */
extern const uint32_t takt_message_buffer_count;

/* Forgets all messages; tasks that wait for the buffer wait no longer: TAKT_E_DLT. By a task,
 * interrupts enabled. Bound: a section, and one for each that waits. */
void message_buffer_empty(takt_id id);

/* The value of `waiters.next`: lets the first sender go on if it finds room now. */
struct task *message_buffer_next(struct waiters *waiters, bool *more);

#endif
