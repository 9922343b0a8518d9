/* SPDX-License-Identifier: Apache-2.0 */
/* Every core runs a task of its own, and all are released at the same times of the one epoch. */
#include "check.h"

enum { CORES = TAKT_TASKS - 1, JOBS = 5 };

static unsigned jobs[CORES];
static bool exact[CORES];

void core_job(intptr_t core) {
    unsigned job = jobs[core];
    bool is_exact = takt_task_self() == TAKT_TASK_core0 + (takt_id)core &&
                    takt_task_release_time() == (takt_time)job * 100 * TAKT_MILLISECOND;
    exact[core] = is_exact && (job == 0 || exact[core]);
    __atomic_store_n(&jobs[core], job + 1, __ATOMIC_RELEASE);
}

static bool all_done(void) {
    for (unsigned core = 0; core < CORES; core++) {
        if (__atomic_load_n(&jobs[core], __ATOMIC_ACQUIRE) < JOBS) {
            return false;
        }
    }
    return true;
}

void main_job(intptr_t argument) {
    for (int i = 0; i < 500 && !all_done(); i++) {
        takt_task_delay(20 * TAKT_MILLISECOND);
    }
    for (unsigned core = 0; core < CORES; core++) {
        CHECK(jobs[core] >= JOBS);
        CHECK(exact[core]);
    }
    printf("%d cores\n", CORES);
    check_end();
}
