/* SPDX-License-Identifier: Apache-2.0 */
/* Each core signals a semaphore and waits for it. Neither service blocks, because each task takes
 * only a count that it has given. Which semaphore a core uses is defined by the including program.
 * */
#ifndef BENCH_KERNEL_SCALING_H
#define BENCH_KERNEL_SCALING_H

#include "phase.h"

/* Is called before each phase; chooses the semaphores. */
static void choose(unsigned cores);
static takt_id chosen(unsigned core);

enum { WINDOW = 100000 }; /* ns */

/* Calls the services until the phase ends, and counts those that return before its end. Each call
 * is counted by itself: with a contended fair lock, a phase may be shorter than the time in which
 * each core completes two calls. */
static uint64_t serve(takt_id semaphore) {
    uint64_t done = 0;
    for (;;) {
        takt_semaphore_signal(semaphore);
        bool in_time = ticks() < phase.end;
        done += in_time;
        takt_assert(takt_semaphore_wait(semaphore) == TAKT_OK);
        if (!in_time || ticks() >= phase.end) {
            return done;
        }
        done++;
    }
}

void worker_job(intptr_t core) {
    for (;;) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_go_0 + (unsigned)core) == TAKT_OK);
        while (ticks() < phase.begin) {
        }
        counts[core].done = serve(chosen((unsigned)core));
    }
}

void main_job(intptr_t cores) {
    takt_task_delay(TAKT_MILLISECOND);
    for (unsigned n = 1; n != 0; n = next_cores(n, (unsigned)cores)) {
        choose(n);
        printf("bench,scaling,%u,%lu,%u\n", n, count_phase(n, WINDOW), WINDOW);
    }
    takt_system_shutdown(0);
}

#endif
