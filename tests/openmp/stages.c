/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of known length, alone and in regions: the stages of stages.toml. */
#include <stdint.h>

static void work(int steps) {
    for (volatile int step = 0; step < steps; step = step + 1) {
    }
}

/* Two forks; the second region has a barrier. */
void fast_job(intptr_t unused) {
    work(2000);
#pragma omp parallel
    work(10000);
    work(1000);
#pragma omp parallel
    {
        work(5000);
#pragma omp barrier
        work(5000);
    }
    work(1000);
}

/* Two forks, one right behind the other. */
void slow_job(intptr_t unused) {
    work(5000);
#pragma omp parallel
    work(30000);
#pragma omp parallel for
    for (int index = 0; index < 12; index++) {
        work(2000);
    }
}

void plain_job(intptr_t steps) {
    work((int)steps);
}
