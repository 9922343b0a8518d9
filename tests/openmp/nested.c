/* SPDX-License-Identifier: Apache-2.0 */
/* Regions inside regions: each thread of the outermost team forks into a team of its own, or has
 * none, and the state of a region is what it was when a region inside it has ended. */
#include <check.h>
#include <omp.h>

enum { ROUNDS = 6, ITERATIONS = 60 };

/* The number of threads of the inner region of each thread of the outermost one. */
static const int inner[] = {2, 3, 1};

static unsigned hits[ITERATIONS], innermost;

static void check_hits(unsigned expected) {
    for (int index = 0; index < ITERATIONS; index++) {
        CHECK_IS(hits[index], expected);
        hits[index] = 0;
    }
}

/* The third level: only thread 1 of thread 1 has a team for it. */
static void third(int first, int second) {
    int threads = first == 1 && second == 1 ? 2 : 1;
#pragma omp parallel
    {
        CHECK_IS(omp_get_num_threads(), threads);
        CHECK_IS(omp_get_level(), 3);
        CHECK_IS(omp_get_active_level(), 1 + (inner[first] > 1) + (threads > 1));
        CHECK_IS(omp_get_ancestor_thread_num(1), first);
        CHECK_IS(omp_get_ancestor_thread_num(2), second);
        CHECK_IS(omp_get_ancestor_thread_num(3), omp_get_thread_num());
        CHECK_IS(omp_get_team_size(2), inner[first]);
        __atomic_fetch_add(&innermost, 1, __ATOMIC_RELAXED);
    }
}

static void second(int first) {
    unsigned sum = 0;
    int order = 0;
#pragma omp parallel reduction(+ : sum)
    {
        int number = omp_get_thread_num();
        CHECK_IS(omp_get_num_threads(), inner[first]);
        CHECK_IS(omp_get_level(), 2);
        CHECK_IS(omp_get_ancestor_thread_num(1), first);
        CHECK_IS(omp_get_team_size(1), 3);
#pragma omp for schedule(dynamic, 2) nowait
        for (int index = 0; index < 20; index++) {
            sum++;
        }
        third(first, number);
#pragma omp barrier
#pragma omp single
        sum += 100;
#pragma omp for ordered schedule(runtime)
        for (int index = 0; index < 20; index++) {
#pragma omp ordered
            CHECK_IS(order++, index);
        }
        CHECK_IS(omp_get_thread_num(), number);
        CHECK_IS(omp_get_num_threads(), inner[first]);
    }
    CHECK_IS(sum, 120);
}

/* The inner regions run inside a loop and beside singles of the outer region. */
static void nest(void) {
    unsigned singles = 0;
#pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        int number = omp_get_thread_num();
        CHECK_IS(omp_get_num_threads(), 3);
#pragma omp for schedule(dynamic) nowait
        for (int index = 0; index < ITERATIONS; index++) {
            if (index % 20 == 3) {
                second(number);
            }
            CHECK_IS(omp_get_level(), 1);
            CHECK_IS(omp_get_thread_num(), number);
            __atomic_fetch_add(&hits[index], 1, __ATOMIC_RELAXED);
        }
#pragma omp single nowait
        __atomic_fetch_add(&singles, 1, __ATOMIC_RELAXED);
        second(number);
#pragma omp barrier
    }
    CHECK_IS(singles, ROUNDS);
    check_hits(ROUNDS);
}

/* A loop outside of all regions is not disturbed by a region in it. */
static void orphan(void) {
#pragma omp for schedule(dynamic, 7)
    for (int index = 0; index < ITERATIONS; index++) {
        hits[index]++;
#pragma omp parallel for schedule(dynamic) num_threads(2)
        for (int other = 0; other < 5; other++) {
            CHECK_IS(omp_get_num_threads(), 2);
        }
    }
    check_hits(1);
}

static void settings(void) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK_IS(kind, omp_sched_dynamic);
    CHECK_IS(chunk, 3);
    CHECK_IS(omp_get_dynamic(), 1);
    CHECK_IS(omp_get_max_threads(), 3);
    CHECK_IS(omp_get_max_active_levels(), 3);
    CHECK_IS(omp_get_nested(), 1);
    CHECK_IS(omp_get_thread_limit(), 10);
    omp_set_nested(0);
#pragma omp parallel
    {
        CHECK_IS(omp_get_num_threads(), 3);
        CHECK_IS(omp_get_max_threads(), 1);
#pragma omp parallel
        CHECK_IS(omp_get_num_threads(), 1);
    }
    omp_set_max_active_levels(2);
#pragma omp parallel
    if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
        {
            CHECK_IS(omp_get_num_threads(), 2);
            CHECK_IS(omp_get_max_threads(), 1);
        }
    }
    omp_set_nested(1);
}

void outer(intptr_t unused) {
    settings();
    orphan();
    nest();
    orphan();
    nest();
    CHECK(innermost > 0);
    check_end();
}
