/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for what another task or core does, without trusting the speed of the machine: where
 * harts are threads of a host, any of them may stand still for some milliseconds at any
 * instruction. */
#ifndef TESTS_UNTIL_H
#define TESTS_UNTIL_H

#include "check.h"

static inline unsigned read_count(const unsigned *counter) {
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

static inline void count_up(unsigned *counter) {
    __atomic_fetch_add(counter, 1, __ATOMIC_RELEASE);
}

/* The machine time after which a test gives up. */
#ifndef PATIENCE
#define PATIENCE (20 * TAKT_SECOND)
#endif

/* Waits for something that cannot be observed: another core is between two calls, and will have
   made the second one long before this returns. */
static inline void wait_a_while(void) {
    takt_task_delay(50 * TAKT_MILLISECOND);
}

/* Waits until the counter has reached `value`; checks every 100 us. */
static inline void wait_until_count(const unsigned *counter, unsigned value) {
    for (int i = 0; i < PATIENCE / (100 * TAKT_MICROSECOND) && read_count(counter) < value; i++) {
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    CHECK(read_count(counter) >= value);
}

#endif
