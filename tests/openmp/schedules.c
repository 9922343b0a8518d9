/* SPDX-License-Identifier: Apache-2.0 */
/* schedule(runtime) with each schedule, ordered loops, modifiers, and iterators of all kinds. */
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "constructs.h"

enum { ITERATIONS = 120, MOST = 128 };

static unsigned hits[ITERATIONS];

static void hit(long index) {
    __atomic_fetch_add(&hits[index], 1, __ATOMIC_RELAXED);
}

static void check_hits(unsigned expected) {
    for (int index = 0; index < ITERATIONS; index++) {
        HOLDS(hits[index] == expected);
    }
    memset(hits, 0, sizeof hits);
}

/* Each form of a loop with schedule(runtime): 7 hits for each iteration. */
static void runtime_loops(void) {
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (int index = 0; index < ITERATIONS; index++) {
            hit(index);
        }
#pragma omp for schedule(monotonic : runtime) nowait
        for (long index = ITERATIONS - 1; index >= 0; index--) {
            dawdle((int)index);
            hit(index);
        }
#pragma omp for schedule(nonmonotonic : runtime)
        for (unsigned long index = 0; index < ITERATIONS; index++) {
            hit((long)index);
        }
#pragma omp for schedule(runtime)
        for (uint64_t index = ITERATIONS; index > 0; index--) {
            hit((long)index - 1);
        }
    }
#pragma omp parallel for schedule(runtime)
    for (int index = 0; index < ITERATIONS; index++) {
        hit(index);
    }
#pragma omp parallel for schedule(monotonic : runtime)
    for (int index = 0; index < ITERATIONS; index++) {
        hit(index);
    }
#pragma omp parallel for schedule(nonmonotonic : runtime)
    for (int index = 0; index < ITERATIONS; index++) {
        hit(index);
    }
    check_hits(7);
}

static void runtime(void) {
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                        omp_sched_auto, omp_sched_dynamic | omp_sched_monotonic};
    for (unsigned kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        for (int chunk = 0; chunk <= 7; chunk += 7) {
            omp_set_schedule(kinds[kind], chunk);
            runtime_loops();
        }
    }
    omp_set_schedule(omp_sched_static, 0);
}

/* Which thread executes an iteration of a static loop, from schedule(runtime) and from the
 * compiler's own code. */
static void placement(int chunk) {
    static int mine[ITERATIONS], compilers[ITERATIONS];
    omp_set_schedule(omp_sched_static, chunk);
#pragma omp parallel
    {
#pragma omp for schedule(runtime)
        for (int index = 0; index < ITERATIONS - 1; index++) {
            mine[index] = omp_get_thread_num();
        }
        if (chunk > 0) {
#pragma omp for schedule(static, chunk)
            for (int index = 0; index < ITERATIONS - 1; index++) {
                compilers[index] = omp_get_thread_num();
            }
        } else {
#pragma omp for schedule(static)
            for (int index = 0; index < ITERATIONS - 1; index++) {
                compilers[index] = omp_get_thread_num();
            }
        }
    }
    HOLDS(memcmp(mine, compilers, sizeof mine) == 0);
    omp_set_schedule(omp_sched_static, 0);
}

/* Iterations in their order: the next one, and whether some came too early. */
static long next;
static bool disorder;

static void in_order(long index) {
    disorder |= index != next;
    next = index + 1;
}

static void check_order(long end) {
    HOLDS(!disorder && next == end);
    next = 0;
}

/* Ordered loops follow each other without a barrier, so each has a `next` of its own. */
static void ordered_nowait(void) {
    static long nexts[6];
    bool disorders[6] = {false};
    memset(nexts, 0, sizeof nexts);
#define IN_ORDER(loop, index)                                                                      \
    do {                                                                                           \
        disorders[loop] |= nexts[loop] != (long)(index);                                           \
        nexts[loop] = (long)(index) + 1;                                                           \
    } while (0)
#pragma omp parallel
    {
#pragma omp for ordered schedule(static) nowait
        for (int index = 0; index < ITERATIONS; index++) {
            dawdle(index);
#pragma omp ordered
            IN_ORDER(0, index);
        }
#pragma omp for ordered schedule(dynamic) nowait
        for (int index = 0; index < 2; index++) {
            dawdle(index);
#pragma omp ordered
            IN_ORDER(1, index);
        }
#pragma omp for ordered schedule(guided, 2) nowait
        for (int index = 0; index < ITERATIONS; index++) {
#pragma omp ordered
            IN_ORDER(2, index);
        }
        /* Some iterations have no ordered region. */
#pragma omp for ordered schedule(dynamic, 3) nowait
        for (unsigned long index = 0; index < ITERATIONS; index++) {
            hit((long)index);
            if (index % 5 == 4) {
#pragma omp ordered
                IN_ORDER(3, index / 5);
            }
        }
#pragma omp for schedule(dynamic, 4) nowait
        for (int index = 0; index < ITERATIONS; index++) {
            hit(index);
        }
#pragma omp for ordered schedule(static, 1) nowait
        for (int index = 0; index < 3; index++) {
            dawdle(index);
#pragma omp ordered
            IN_ORDER(4, index);
        }
#pragma omp for ordered schedule(runtime) nowait
        for (int index = 0; index < 0; index++) {
#pragma omp ordered
            IN_ORDER(5, index);
        }
    }
    for (int loop = 0; loop < 6; loop++) {
        HOLDS(!disorders[loop]);
    }
    HOLDS(nexts[0] == ITERATIONS && nexts[1] == 2 && nexts[2] == ITERATIONS);
    HOLDS(nexts[3] == ITERATIONS / 5 && nexts[4] == 3 && nexts[5] == 0);
    check_hits(2);
}

static void ordered(void) {
    for (int round = 0; round < 3; round++) {
        omp_set_schedule(round % 2 ? omp_sched_guided : omp_sched_static, round);
#pragma omp parallel for ordered schedule(runtime)
        for (long index = 0; index < ITERATIONS; index++) {
            dawdle((int)index);
#pragma omp ordered
            in_order(index);
        }
        check_order(ITERATIONS);
#pragma omp parallel for ordered schedule(runtime)
        for (uint64_t index = UINT64_MAX - 40; index < UINT64_MAX; index++) {
#pragma omp ordered
            in_order((long)(index - (UINT64_MAX - 40)));
        }
        check_order(40);
#pragma omp parallel for ordered
        for (int index = ITERATIONS; index > 0; index -= 3) {
#pragma omp ordered
            in_order((ITERATIONS - index) / 3);
        }
        check_order(ITERATIONS / 3);
        ordered_nowait();
    }
    omp_set_schedule(omp_sched_static, 0);
}

/* Bounds at the ends of a type. */
static void extremes(void) {
    unsigned steps = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : steps)
    for (long index = LONG_MIN; index < LONG_MAX - (1L << 60); index += 1L << 59) {
        steps++;
    }
    HOLDS(steps == 30);
    steps = 0;
#pragma omp parallel for schedule(guided) reduction(+ : steps)
    for (unsigned long index = ULONG_MAX; index > 1UL << 59; index -= 1UL << 59) {
        steps++;
    }
    HOLDS(steps == 31);
    steps = 0;
#pragma omp parallel for collapse(3) schedule(dynamic, 5) reduction(+ : steps)
    for (int one = 0; one < 3; one++) {
        for (int two = 5; two > 0; two--) {
            for (unsigned three = 0; three < 7; three += 2) {
                steps++;
            }
        }
    }
    HOLDS(steps == 60);
}

/* scope, and the newer names of older constructs. */
static void scopes(int size) {
    long sum = 0;
    unsigned filtered = 0, looped = 0;
#pragma omp parallel
    {
#pragma omp scope reduction(+ : sum)
        sum += omp_get_thread_num() + 1;
        HOLDS(sum == (long)size * (size + 1) / 2);
#pragma omp masked filter(size - 1)
        filtered++;
#pragma omp loop bind(parallel)
        for (int index = 0; index < ITERATIONS; index++) {
            __atomic_fetch_add(&looped, 1, __ATOMIC_RELAXED);
        }
    }
    HOLDS(filtered == 1 && looped == ITERATIONS);
}

void schedules(int size) {
    runtime();
    placement(0);
    placement(1);
    placement(7);
    ordered();
    extremes();
    scopes(size);
}
