/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of an object that threads wait for. Programs do not use it. */
#ifndef LIBRARIES_TAKT_POSIX_QUEUE_H
#define LIBRARIES_TAKT_POSIX_QUEUE_H

#include <stdint.h>

/* The threads that wait for an object, in FIFO order; guarded by the object's guard. */
struct takt_posix_queue {
    void *first, *last;
    uint32_t tickets; /* the number of tickets given to waiters so far */
    uint32_t waking;  /* the calls that wake several waiters and have begun and not ended */
};

#endif
