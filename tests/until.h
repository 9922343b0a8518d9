/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for what another task or core does, without trusting the speed of the machine. */
#ifndef TESTS_UNTIL_H
#define TESTS_UNTIL_H

#include "check.h"

static inline unsigned read_count(const unsigned *counter) {
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

static inline void count_up(unsigned *counter) {
    __atomic_fetch_add(counter, 1, __ATOMIC_RELEASE);
}

/* Until it is `value` or more. Looks every 100 us, for up to 20 s of machine time. */
static inline void wait_until_count(const unsigned *counter, unsigned value) {
    for (int i = 0; i < 200000 && read_count(counter) < value; i++) {
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    CHECK(read_count(counter) >= value);
}

#endif
