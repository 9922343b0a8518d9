/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `watcher`: notices interrupts by its clock, which stands still for it meanwhile. */
#include "remote.h"

/* Two looks at the clock are no further apart, if nothing comes between. */
#define APART 400 /* ns */

static struct interrupted seen;

static takt_time window_of(takt_time now) {
    return now / FRAME;
}

void watch_job(intptr_t argument) {
    takt_time before = takt_time_now();
    uint64_t count = 0;
    for (;;) {
        takt_time now = takt_time_now();
        if (window_of(now) != window_of(before)) {
            seen.windows++;
            takt_buffer_write(TAKT_BUFFER_interrupted, &seen);
            count = 0;
        } else if (now - before > APART && before % FRAME > BEGIN / 2 && now % FRAME < WINDOW) {
            count++;
            seen.all++;
            seen.most = count > seen.most ? count : seen.most;
            uint64_t length = (uint64_t)(now - before);
            seen.longest = length > seen.longest ? length : seen.longest;
        }
        before = now;
    }
}

void tick_job(intptr_t argument) {
}
