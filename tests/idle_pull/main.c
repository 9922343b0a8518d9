/* SPDX-License-Identifier: Apache-2.0 */
/* Six tasks that may migrate and one that may not, all on core 0. Prints the number of other cores
 * on which they have run. A seventh task may migrate too, but it is always either running or the
 * next to run, so it must stay on core 0.
 * */
#include "until.h"

enum { WORKERS = 6, ROUNDS = 4 };

static unsigned jobs[WORKERS], on_core[4], strayed, bound_jobs, rounds_elsewhere;
static unsigned elsewhere;
static unsigned mover_jobs, taken; /* `taken`: how often the seventh ran on another core */
static bool keeps_core;            /* whether it has to disable dispatch */

static void work(void) {
    takt_time end = takt_time_now() + 300 * TAKT_MICROSECOND;
    while (takt_time_now() < end) {
        count_up(&on_core[takt_core_self()]);
    }
}

/* The task must not run where the description does not allow it. */
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

/* Gives each idle core time for several requests; counts if the caller is not on core 0. */
static void work_here(void) {
    takt_time end = takt_time_now() + 300 * TAKT_MICROSECOND;
    while (takt_time_now() < end) {
        if (takt_core_self() != 0) {
            count_up(&taken);
        }
    }
}

/* With dispatch disabled the task runs although `bound` would be the next one. */
void mover_job(intptr_t argument) {
    if (keeps_core) {
        CHECK_IS(takt_dispatch_disable(), TAKT_OK);
        CHECK_IS(takt_task_activate(TAKT_TASK_bound), TAKT_OK);
    }
    work_here();
    if (keeps_core) {
        CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    }
    count_up(&mover_jobs);
}

/* Core 0 always has this second, lower ready task, so that idle cores ask it. */
static void stay(void) {
    CHECK_IS(takt_task_set_priority(TAKT_TASK_main, 40), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_mover), TAKT_OK); /* runs, as the first one */
    CHECK_IS(read_count(&mover_jobs), 1);

    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_mover),
             TAKT_OK); /* is the first one, but waits for this task */
    work_here();
    CHECK_IS(read_count(&mover_jobs), 1);
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    CHECK_IS(read_count(&mover_jobs), 2);

    keeps_core = true;
    CHECK_IS(takt_task_activate(TAKT_TASK_mover), TAKT_OK); /* runs, and is not the first one */
    wait_until_count(&mover_jobs, 3);
    wait_until_count(&bound_jobs, ROUNDS + 1);
    CHECK_IS(taken, 0);
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
    stay();
    check_end();
}
