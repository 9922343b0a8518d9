/* SPDX-License-Identifier: Apache-2.0 */
/* Each core signals a semaphore and waits for it: two services that never wait, as nobody takes a
 * count without having given one. Which semaphore, the program says: */
#ifndef BENCH_KERNEL_SCALING_H
#define BENCH_KERNEL_SCALING_H

#include "phase.h"

/* Before each phase, and in it. */
static void choose(unsigned cores);
static takt_id chosen(unsigned core);

enum { WINDOW = 100000 }; /* ns */

static inline void work(takt_id semaphore) {
    takt_semaphore_signal(semaphore);
    takt_semaphore_wait(semaphore);
}

void worker_job(intptr_t core) {
    for (;;) {
        WORK_THROUGH(core, work(chosen((unsigned)core)));
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
