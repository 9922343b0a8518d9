/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `watcher`: looks where in the frame it runs. */
#include <takt/takt.h>

#include "seen.h"

enum {
    FRAME = 5 * TAKT_MILLISECOND,
    LATE =
        30 * TAKT_MICROSECOND, /* a look may come as late as the interrupt that ends the window */
    FIRST_END = TAKT_MILLISECOND,
    SECOND = 2500 * TAKT_MICROSECOND,
    SECOND_END = 3 * TAKT_MILLISECOND,
};

static struct seen seen;

void watch_job(intptr_t argument) {
    for (;;) {
        takt_time at = takt_time_now() % FRAME;
        bool first = at < FIRST_END + LATE, second = at >= SECOND && at < SECOND_END + LATE;
        seen.looks++;
        seen.first += first;
        seen.second += second;
        if (!first && !second) {
            seen.outside++;
            seen.wrong = (uint64_t)at;
        }
        takt_buffer_write(TAKT_BUFFER_seen, &seen);
    }
}

void tick_job(intptr_t argument) {
}
