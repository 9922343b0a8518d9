/* SPDX-License-Identifier: Apache-2.0 */
/* What the tasks of the test of faults at random know of each other. */
#ifndef TESTS_STORM_H
#define TESTS_STORM_H

#include <stdint.h>

#include <takt/takt.h>

enum { FRAME = 5 * TAKT_MILLISECOND, WINDOW = 2 * TAKT_MILLISECOND, FILLED = 10000 };

/* What the watcher has seen of its windows. */
struct watched {
    uint64_t windows, interrupts, most; /* the windows; times it was held up, in all and in one */
    uint64_t longest;                   /* such a time, ns */
    uint64_t taken;                     /* of its windows, by these times, the most in one; ns */
};

/* What the storm has seen of itself. */
struct stormed {
    uint64_t restarts, wrong; /* the latter: variables that were not as the start says */
};

#endif
