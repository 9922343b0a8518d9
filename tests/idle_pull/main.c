/* SPDX-License-Identifier: Apache-2.0 */
/* Six tasks that may migrate and one that may not, all of core 0. Prints on how many other cores
 * they have run. */
#include "until.h"

enum { WORKERS = 6, ROUNDS = 4 };

static unsigned jobs[WORKERS], on_core[4], strayed, bound_jobs, rounds_elsewhere;
static unsigned elsewhere;

static void work(void) {
    takt_time end = takt_time_now() + 300 * TAKT_MICROSECOND;
    while (takt_time_now() < end) {
        count_up(&on_core[takt_core_self()]);
    }
}

/* Where the description does not let it run, it does not. */
void worker_job(intptr_t who) {
    for (int i = 0; i < 3; i++) {
        work();
        uint32_t core = takt_core_self();
        if (core != 0) {
            __atomic_store_n(&elsewhere, 1, __ATOMIC_RELAXED);
        }
        if (core == (who < 4 ? 3 : 2)) {
            count_up(&strayed);
        }
    }
    count_up(&jobs[who]);
}

void bound_job(intptr_t argument) {
    work();
    if (takt_core_self() != 0) {
        count_up(&strayed);
    }
    count_up(&bound_jobs);
}

void main_job(intptr_t argument) {
    for (unsigned round = 1; round <= ROUNDS; round++) {
        for (takt_id who = 0; who < WORKERS; who++) {
            CHECK_IS(takt_task_activate_on(TAKT_TASK_worker_0 + who, 0), TAKT_OK);
        }
        CHECK_IS(takt_task_activate(TAKT_TASK_bound), TAKT_OK);
        for (unsigned who = 0; who < WORKERS; who++) {
            wait_until_count(&jobs[who], round);
        }
        wait_until_count(&bound_jobs, round);
        rounds_elsewhere += __atomic_exchange_n(&elsewhere, 0, __ATOMIC_RELAXED);
    }
    for (unsigned who = 0; who < WORKERS; who++) {
        CHECK_IS(jobs[who], ROUNDS);
    }
    CHECK_IS(strayed, 0);
    printf("work on %d other cores, in %u rounds\n",
           (on_core[1] != 0) + (on_core[2] != 0) + (on_core[3] != 0), rounds_elsewhere);
    check_end();
}
