/* SPDX-License-Identifier: Apache-2.0 */
/* A job is terminated inside a parallel region; the task's next job forks again. */
#include <check.h>
#include <omp.h>

void forks(intptr_t unused) {
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
        takt_task_sleep();
    }
}

void ends(intptr_t unused) {
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(takt_task_terminate(TAKT_TASK_forks), TAKT_OK);
    takt_task_activate(TAKT_TASK_forks);
    takt_task_delay(TAKT_MILLISECOND);
    check_end();
}
