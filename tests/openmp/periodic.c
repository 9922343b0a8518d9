/* SPDX-License-Identifier: Apache-2.0 */
/* Two periodic tasks fork into teams that share cores: the job of the higher priority preempts
 * strands of the other's, and each job has its own sums. */
#include <check.h>

enum { ITEMS = 600, JOBS = 40 };

static void work(void) {
    for (volatile int step = 0; step < 30; step = step + 1) {
    }
}

/* Two regions and a critical section that both tasks use. */
static void job(int *values, int number) {
    static long total;
    long sum = 0;
#pragma omp parallel for
    for (int index = 0; index < ITEMS; index++) {
        work();
        values[index] = index + number;
    }
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 20)
    for (int index = 0; index < ITEMS; index++) {
        sum += values[index];
    }
    CHECK_IS(sum, ITEMS * (ITEMS - 1) / 2 + ITEMS * number);
#pragma omp parallel
#pragma omp critical
    total += sum;
}

void fast_job(intptr_t unused) {
    static int values[ITEMS], number;
    job(values, ++number);
}

void slow_job(intptr_t unused) {
    static int values[ITEMS], number;
    job(values, ++number);
    if (number == JOBS) {
        check_end();
    }
}
