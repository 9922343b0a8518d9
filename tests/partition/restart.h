/* SPDX-License-Identifier: Apache-2.0 */
/* What the tasks of the test of restarts publish. */
#ifndef TESTS_RESTART_H
#define TESTS_RESTART_H

#include <stdint.h>

enum { FAULT_AT = 5, INITIAL = 1000, LOCAL = 5, RESTARTS = 3 };

struct seen {
    uint64_t data, bss, local; /* variables: initialised, zero, of the thread */
    uint64_t woken;            /* waits that have ended */
    uint64_t start, restarts;  /* of takt_partition_state */
};

/* What the first task of a start has seen: how many restarts there were, whether it could take the
 * semaphore at once, and activate the helper. */
struct held {
    uint64_t restarts, taken, activated;
};

/* What the helper has found in the buffer between it and the work. */
struct helped {
    uint64_t restarts, note;
};

struct modes {
    uint64_t jobs, failures;
};

#endif
