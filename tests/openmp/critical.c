/* SPDX-License-Identifier: Apache-2.0 */
/* Critical sections in two teams: `table` is of both, the one without a name of `fast` alone. Each
 * section finds nobody else in it, and loses no count. */
#include <stdint.h>

#include <takt/takt.h>

enum { ROUNDS = 5, THREADS = 2, STEADY_ROUNDS = 3 };

static void work(int steps) {
    for (volatile int step = 0; step < steps; step = step + 1) {
    }
}

/* The data of a section. */
struct guarded {
    volatile int inside;
    volatile long count;
};

static struct guarded table, nameless;

static void change(struct guarded *data, int steps) {
    takt_assert(data->inside == 0);
    data->inside = 1;
    long count = data->count;
    work(steps);
    data->count = count + 1;
    data->inside = 0;
}

/* Threads of the team that blocks. A higher task may preempt the one on core 1. */
void fast_job(intptr_t unused) {
    long before = nameless.count;
    work(1000);
#pragma omp parallel
    {
        for (int round = 0; round < ROUNDS; round++) {
#pragma omp critical
            change(&nameless, 100);
        }
#pragma omp barrier
        takt_assert(nameless.count == before + THREADS * ROUNDS);
        work(1000);
#pragma omp critical(table)
        change(&table, 2000);
    }
    work(500);
}

/* Threads of the team that spins. */
void steady_job(intptr_t unused) {
    work(200);
#pragma omp parallel
    for (int round = 0; round < STEADY_ROUNDS; round++) {
        work(50);
#pragma omp critical(table)
        change(&table, 100);
    }
    work(200);
}

void plain_job(intptr_t steps) {
    work((int)steps);
}
