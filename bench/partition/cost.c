/* SPDX-License-Identifier: Apache-2.0 */
/* Calls services that do not wait, many times, with warm caches. */
#include <stdio.h>

#include <takt/takt.h>

enum { TURNS = 2000 };

static long in_picoseconds(takt_time before) {
    return (long)((takt_time_now() - before) * 1000 / TURNS);
}

static void measure(const char *who, takt_id semaphore, bool reported) {
    takt_time before = takt_time_now();
    for (int i = 0; i < TURNS; i++) {
        (void)takt_task_self();
    }
    long self = in_picoseconds(before);
    before = takt_time_now();
    for (int i = 0; i < TURNS; i++) {
        takt_semaphore_signal(semaphore);
        (void)!takt_semaphore_wait(semaphore);
    }
    long pair = in_picoseconds(before);
    if (reported) {
        printf("%s: takt_task_self %ld ps, takt_semaphore_signal and _wait %ld ps\n", who, self,
               pair);
    }
}

void cost_job(intptr_t semaphore) {
    const char *who = semaphore == 1 ? "S-mode" : "partition";
    measure(who, (takt_id)semaphore, false);
    measure(who, (takt_id)semaphore, true);
}
