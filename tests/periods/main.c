/* SPDX-License-Identifier: Apache-2.0 */
/* Periodic tasks under each placement: their releases come when they should, also while commands
 * of their node are under way; a job that still runs at its next release has that queued, and the
 * one after it is lost; nobody else may activate such a task. */
#include "until.h"

enum { NODES = 4 };

#define END  (20 * TAKT_MILLISECOND)
#define LATE (2 * TAKT_MILLISECOND)

static unsigned ticks[NODES], tocks[NODES], calls[NODES], late_jobs;
static takt_time late_begun[16];

/* Longer than any command, and shorter than a period. */
#define SOON (200 * TAKT_MICROSECOND)

/* Between two pairs of calls. */
#define PAUSE (40 * TAKT_MICROSECOND)

static void check_release(unsigned job, takt_time offset, takt_time period) {
    takt_time since = takt_time_now() - (offset + job * period);
    CHECK(since >= 0 && since < SOON);
}

void tick_job(intptr_t node) {
    check_release(ticks[node]++, node * 100 * TAKT_MICROSECOND, TAKT_MILLISECOND);
}

/* Released with `tick`, in the same interrupt, each second time. */
void tock_job(intptr_t node) {
    check_release(tocks[node]++, node * 100 * TAKT_MICROSECOND, TAKT_MILLISECOND / 2);
}

void caller_job(intptr_t node) {
    while (takt_time_now() < END) {
        CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_shared), TAKT_OK);
        CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_shared), TAKT_OK);
        calls[node]++;
        /* Core 0 serves before it runs its own tasks: without a pause they would get next to
         * nothing. */
        for (takt_time until = takt_time_now() + PAUSE; takt_time_now() < until;) {
        }
    }
}

/* The first job lasts until behind two more releases. */
void late_job(intptr_t argument) {
    takt_time begun = takt_time_now();
    late_begun[late_jobs < 16 ? late_jobs : 15] = begun;
    if (late_jobs++ == 0) {
        while (takt_time_now() < begun + 5 * TAKT_MILLISECOND) {
        }
    }
}

void main_job(intptr_t argument) {
    CHECK_IS(takt_task_activate(TAKT_TASK_late), TAKT_E_OBJ);
    takt_task_delay(END + TAKT_MILLISECOND / 4 - takt_time_now());
    for (unsigned node = 0; node < NODES; node++) {
        CHECK_IS(ticks[node], node < 3 ? 21 : 20);
        CHECK_IS(tocks[node], node < 3 ? 41 : 40);
        CHECK(calls[node] > 10);
    }
    CHECK_IS(late_jobs, 10); /* of eleven releases that of 4 ms is lost */
    CHECK(late_begun[1] >= 5 * TAKT_MILLISECOND && late_begun[1] < 3 * LATE);
    for (unsigned job = 2; job < 10; job++) {
        CHECK(late_begun[job] >= (job + 1) * LATE && late_begun[job] < (job + 1) * LATE + SOON);
    }
    check_end();
}
