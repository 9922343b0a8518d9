/* SPDX-License-Identifier: Apache-2.0 */
/* What the tasks of the test of attacks from another core know of each other. */
#ifndef TESTS_REMOTE_H
#define TESTS_REMOTE_H

#include <stdint.h>

#include <takt/takt.h>

enum {
    FRAME = 5 * TAKT_MILLISECOND,
    WINDOW = 2 * TAKT_MILLISECOND,  /* of the watcher, from the frame's begin */
    BEGIN = 300 * TAKT_MICROSECOND, /* of the attacks in each of them */
    ATTACKED = 6,                   /* tasks */
};

struct interrupted {
    uint64_t windows, most,
        all;          /* the longest series of interrupts in one window, and all of them */
    uint64_t longest; /* the longest time that one took, ns */
};

#endif
