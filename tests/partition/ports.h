/* SPDX-License-Identifier: Apache-2.0 */
/* What both sides of the test of ports know. */
#ifndef TESTS_PORTS_H
#define TESTS_PORTS_H

#include "check.h"

#define REFRESH (2 * TAKT_MILLISECOND)
#define MOMENTS 400 /* messages of the port `level` that follow each other as fast as can be */

struct level {
    uint64_t words[3]; /* equal */
};

/* The checks of a partition and how many failed. */
struct counts {
    uint64_t checks, failures;
};

/* Time 5 ms: the first messages; 8 ms: a full queue; 10 ms: it is emptied; 20 ms: MOMENTS. */
static inline void until(int milliseconds) {
    any_result(takt_task_delay(milliseconds * TAKT_MILLISECOND - takt_time_now()));
}

/* Addresses that a task of a partition must not have the kernel use. */
static inline void check_addresses(intptr_t (*use)(uintptr_t address)) {
    uintptr_t text = (uintptr_t)check_addresses, other = 0xffffffff04000000;
    const uintptr_t bad[] = {0,
                             8,
                             0xffffffff80000000,
                             0xffffffff80010000,
                             0xffffffff7fffffff,
                             text,
                             -8ul,
                             0xfffffffeffffffff,
                             other,
                             other + 0x2000,
                             -1ul};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        intptr_t result = use(bad[i]);
        CHECK_IS(result, TAKT_E_MACV);
        if (result != TAKT_E_MACV) {
            printf("    address %lx\n", (unsigned long)bad[i]);
        }
    }
}

/* Reads `level` until the last of the moments, or for ten milliseconds. Each message is whole, and
 * none is older than the one before. */
static inline void check_moments(void) {
    uint64_t latest = 0;
    takt_time end = takt_time_now() + 10 * TAKT_MILLISECOND;
    for (unsigned reads = 0; latest != MOMENTS && takt_time_now() < end; reads++) {
        struct level level = {{0}};
        struct takt_sample sample;
        takt_error error = takt_sampling_port_read(TAKT_SAMPLING_PORT_level, &level, &sample);
        bool whole = level.words[0] == level.words[1] && level.words[1] == level.words[2];
        if (error != TAKT_OK || !whole || level.words[0] % 1000 < latest || sample.age < 0) {
            CHECK(!"a moment");
            return;
        }
        latest = level.words[0] < 1000 ? level.words[0] : latest;
    }
    CHECK_IS((long)latest, MOMENTS);
}

#endif
