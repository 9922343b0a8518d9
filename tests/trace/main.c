/* SPDX-License-Identifier: Apache-2.0 */
#include <takt/takt.h>

static void work(unsigned turns) {
    for (volatile unsigned i = 0; i < turns; i++) {
    }
}

void source_step(intptr_t argument) {
    (void)argument;
    takt_semaphore_signal(TAKT_SEMAPHORE_ready);
    work(1000);
    takt_task_activate(TAKT_TASK_worker);
    work(1000);
}

void urgent_step(intptr_t argument) {
    (void)argument;
    work(100);
}

void sink_job(intptr_t argument) {
    (void)argument;
    for (;;) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_ready) == TAKT_OK);
        work(100);
    }
}

void worker_job(intptr_t argument) {
    (void)argument;
    work(500);
}

void late_step(intptr_t argument) {
    (void)argument;
    work(5000);
}

void contend_step(intptr_t argument) {
    (void)argument;
    for (unsigned i = 0; i < 200; i++) {
        if (takt_semaphore_try(TAKT_SEMAPHORE_contended) == TAKT_OK) {
            takt_semaphore_signal(TAKT_SEMAPHORE_contended);
        }
    }
}
