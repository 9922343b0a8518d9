/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_MESSAGE_BUFFER_H
#define KERNEL_MESSAGE_BUFFER_H

#include <takt/message_buffer.h>

#include "object/waiters.h"

struct message_buffer {
    /* Senders, the first of which finds no room, or is about to be given it; or receivers, while
     * there is no message and no sender: never both. */
    union {
        struct waiters waiters;
        struct served served;
    };
    uint32_t count;       /* messages in the ring */
    uint32_t first, used; /* bytes of it; multiples of 8 */
} __attribute__((aligned(64)));

extern struct message_buffer takt_message_buffers[]; /* by ID - 1 (configurator) */

/* Of `waiters.next`: lets the first sender go on if it finds room now. */
struct task *message_buffer_next(struct waiters *waiters, bool *more);

#endif
