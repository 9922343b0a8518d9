/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_MESSAGE_BUFFER_H
#define KERNEL_MESSAGE_BUFFER_H

#include <takt/message_buffer.h>

#include "waiters.h"

struct message_buffer {
    /* Senders, the first of which finds no room; or receivers, while there is no message and no
     * sender: never both. */
    struct waiters waiters;
    bool receivers_wait;  /* which of them, while any waits */
    uint32_t count;       /* messages in the ring */
    uint32_t first, used; /* bytes of it; multiples of 8 */
} __attribute__((aligned(64)));

extern struct message_buffer takt_message_buffers[]; /* by ID - 1 (configurator) */

/* Of `waiters.shrunk`: lets senders go on that now find room. */
struct task *message_buffer_shrunk(struct waiters *waiters);

#endif
