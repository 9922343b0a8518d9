/* SPDX-License-Identifier: Apache-2.0 */
/* A periodic task of core 0, above all other tasks there, whose jobs measure only their own
 * response: this shows how long the core keeps interrupts disabled. */
#ifndef TESTS_SECTION_WATCH_H
#define TESTS_SECTION_WATCH_H

#include "until.h"

static takt_time watch_longest;
static unsigned watching, watched;

void watch_job(intptr_t argument) {
    takt_time response = takt_time_now() - takt_task_release_time();
    if (read_count(&watching)) {
        watch_longest = response > watch_longest ? response : watch_longest;
        count_up(&watched);
    }
}

/* Checks that the longest response is at most `quick`; the watched call itself takes longer. */
static inline void watch_check(takt_time quick) {
    printf("%u jobs beside the calls, the longest response %lld ns\n", read_count(&watched),
           (long long)watch_longest);
    CHECK(read_count(&watched) > 20);
    CHECK(watch_longest <= quick);
}

#endif
