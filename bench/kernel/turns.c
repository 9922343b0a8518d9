/* SPDX-License-Identifier: Apache-2.0 */
/* Random pairs of cores wake each other in turns. The counted rounds consist of two wake-ups of a
 * task on another core. */
#include "random.h"

enum { WINDOW = 400000 }; /* ns */

static struct {
    unsigned other;
    bool first, over;
} __attribute__((aligned(64))) ends[CORES_MAX];

static void lead(unsigned core) {
    unsigned other = ends[core].other;
    uint64_t done = 0;
    while (ticks() < phase.begin) {
    }
    while (ticks() < phase.end) {
        takt_semaphore_signal(TAKT_SEMAPHORE_own_0 + other);
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_own_0 + core) == TAKT_OK);
        done++;
    }
    counts[core].done = done - 1;                                /* the last round ended late */
    __atomic_store_n(&ends[other].over, true, __ATOMIC_RELEASE); /* pairs with the load in follow */
    takt_semaphore_signal(TAKT_SEMAPHORE_own_0 + other);
}

static void follow(unsigned core) {
    counts[core].done = 0;
    for (;;) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_own_0 + core) == TAKT_OK);
        if (__atomic_load_n(&ends[core].over, __ATOMIC_ACQUIRE)) {
            return;
        }
        takt_semaphore_signal(TAKT_SEMAPHORE_own_0 + ends[core].other);
    }
}

void worker_job(intptr_t core) {
    for (;;) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_go_0 + (unsigned)core) == TAKT_OK);
        ends[core].first ? lead((unsigned)core) : follow((unsigned)core);
    }
}

static void choose(unsigned cores) {
    draw_pairs(cores);
    for (unsigned i = 0; i < cores; i++) {
        ends[drawn[i]].other = drawn[i ^ 1u];
        ends[drawn[i]].first = i % 2 == 0;
        ends[drawn[i]].over = false;
    }
}

void main_job(intptr_t cores) {
    takt_task_delay(TAKT_MILLISECOND);
    for (unsigned n = 2; n != 0; n = next_cores(n, (unsigned)cores)) {
        if (n % 2 == 0) {
            choose(n);
            printf("bench,scaling,%u,%lu,%u\n", n, count_phase(n, WINDOW), WINDOW);
        }
    }
    takt_system_shutdown(0);
}
