/* SPDX-License-Identifier: Apache-2.0 */
/* Each core has a semaphore of its own and does nothing but signal it and wait for it: two services
 * that never wait. What a kernel lets them do at once shows in the sum. */
#include "bench.h"

enum { WINDOW = 100000 }; /* ns */

static void work(takt_id own) {
    takt_semaphore_signal(own);
    takt_semaphore_wait(own);
}

void worker_job(intptr_t core) {
    for (;;) {
        WORK_THROUGH(core, work(TAKT_SEMAPHORE_own_0 + (unsigned)core));
    }
}

void partner_job(intptr_t core) {
    (void)core;
}

void main_job(intptr_t cores) {
    takt_task_delay(TAKT_MILLISECOND);
    for (unsigned n = 1; n != 0; n = next_cores(n, (unsigned)cores)) {
        printf("bench,private,%u,%lu,%u\n", n, count_phase(n, WINDOW), WINDOW);
    }
    takt_system_shutdown(0);
}
