/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `watcher`: notices interrupts by its clock, which stands still for it meanwhile. */
#include "storm.h"

/* Two looks at the clock are no further apart, if nothing comes between. */
#define APART 400 /* ns */

static struct watched seen;

void watch_job(intptr_t argument) {
    takt_time before = takt_time_now();
    uint64_t count = 0, taken = 0;
    for (;;) {
        takt_time now = takt_time_now();
        if (now / FRAME != before / FRAME) {
            seen.windows++;
            takt_buffer_write(TAKT_BUFFER_watched, &seen);
            count = taken = 0;
        } else if (now - before > APART && now % FRAME < WINDOW) {
            uint64_t length = (uint64_t)(now - before);
            count++;
            taken += length;
            seen.interrupts++;
            seen.most = count > seen.most ? count : seen.most;
            seen.longest = length > seen.longest ? length : seen.longest;
            seen.taken = taken > seen.taken ? taken : seen.taken;
        }
        before = now;
    }
}

void tick_job(intptr_t argument) {
}
