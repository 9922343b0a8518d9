/* SPDX-License-Identifier: Apache-2.0 */
/* Each construct of OpenMP that the library has, in a team of as many threads as the argument says.
 * Threads dawdle for times of their own, so that they come in other orders each time. */
#include <check.h>
#include <omp.h>
#include <string.h>

#include "constructs.h"

enum { MOST = 128, ITERATIONS = 400, ROUNDS = 12 };

static int size;
static unsigned hits[ITERATIONS];

void note(bool holds, const char *what, const char *file, int line) {
    check_note(holds, what, file, line);
}

void dawdle(int round) {
    unsigned mixed = (unsigned)(omp_get_thread_num() * 7 + round * 13) * 2654435761u >> 24;
    for (volatile unsigned step = 0; step < mixed; step = step + 1) {
    }
}

static void check_hits(unsigned expected) {
    for (int index = 0; index < ITERATIONS; index++) {
        CHECK_IS(hits[index], expected);
        hits[index] = 0;
    }
}

static void regions(void) {
    unsigned seen[MOST] = {0};
    CHECK_IS(omp_get_num_threads(), 1);
    CHECK_IS(omp_get_max_threads(), size);
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
        {
            CHECK_IS(omp_get_num_threads(), size);
            CHECK_IS(omp_get_level(), 1);
            CHECK_IS(omp_in_parallel(), size > 1);
            seen[omp_get_thread_num()]++;
        }
    }
    for (int thread = 0; thread < size; thread++) {
        CHECK_IS(seen[thread], ROUNDS);
    }
    CHECK_IS(omp_get_num_threads(), 1);
    CHECK_IS(omp_get_level(), 0);
    CHECK_IS(omp_in_parallel(), 0);
}

/* Regions of fewer threads, in turn with full ones: who is left out takes no part. */
static void counts(void) {
    for (int round = 0; round < 4 * ROUNDS; round++) {
        int asked = round % (size + 3) + 1, given = asked < size ? asked : size;
        unsigned parts = 0;
#pragma omp parallel num_threads(asked)
        {
            dawdle(round);
            CHECK_IS(omp_get_num_threads(), given);
            __atomic_fetch_add(&parts, 1u << (omp_get_thread_num() % 8 * 4), __ATOMIC_RELAXED);
#pragma omp barrier
            __atomic_fetch_add(&hits[0], 1, __ATOMIC_RELAXED);
        }
        for (int digit = 0; digit < 8; digit++) {
            CHECK_IS(parts >> (digit * 4) & 15, (given + 7 - digit) / 8);
        }
        CHECK_IS(hits[0], given);
        hits[0] = 0;
    }
#pragma omp parallel if (size < 0)
    CHECK_IS(omp_get_num_threads(), 1);
    omp_set_num_threads(1);
#pragma omp parallel
    CHECK_IS(omp_get_num_threads(), 1);
    omp_set_num_threads(size + 5);
    CHECK_IS(omp_get_max_threads(), size);
}

static void barriers(void) {
    unsigned stage[MOST] = {0};
#pragma omp parallel
    for (unsigned round = 1; round <= 4 * ROUNDS; round++) {
        dawdle((int)round);
        __atomic_store_n(&stage[omp_get_thread_num()], round, __ATOMIC_RELAXED);
#pragma omp barrier
        for (int other = 0; other < size; other++) {
            unsigned now = __atomic_load_n(&stage[other], __ATOMIC_RELAXED);
            CHECK(now == round || now == round + 1);
        }
    }
}

/* Loops without a barrier between them: threads are in different ones at a time. */
static void loops(void) {
#pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp for nowait
        for (int index = 0; index < ITERATIONS; index++) {
            __atomic_fetch_add(&hits[index], 1, __ATOMIC_RELAXED);
        }
#pragma omp for schedule(dynamic) nowait
        for (int index = 0; index < 3; index++) {
            dawdle(round);
            __atomic_fetch_add(&hits[index], 1, __ATOMIC_RELAXED);
        }
#pragma omp for schedule(dynamic, 7) nowait
        for (int index = ITERATIONS - 1; index >= 3; index--) {
            dawdle(round + index);
            __atomic_fetch_add(&hits[index], 1, __ATOMIC_RELAXED);
        }
#pragma omp for schedule(guided, 3) nowait
        for (int index = 0; index < ITERATIONS; index += 2) {
            __atomic_fetch_add(&hits[index], 1, __ATOMIC_RELAXED);
        }
#pragma omp for schedule(monotonic : guided) nowait
        for (int index = 1; index < ITERATIONS; index += 2) {
            __atomic_fetch_add(&hits[index], 1, __ATOMIC_RELAXED);
        }
#pragma omp for schedule(dynamic, 100) nowait
        for (int index = size; index < 0; index++) {
            __atomic_fetch_add(&hits[0], 1, __ATOMIC_RELAXED);
        }
    }
    check_hits(3 * ROUNDS);
#pragma omp parallel for schedule(dynamic, 3)
    for (int index = 0; index < ITERATIONS; index++) {
        hits[index]++;
    }
#pragma omp parallel for schedule(monotonic : guided)
    for (int index = 0; index < ITERATIONS; index++) {
        hits[index]++;
    }
    check_hits(2);
    /* The barrier behind a loop. */
#pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(dynamic, 5)
        for (int index = 0; index < ITERATIONS; index++) {
            hits[index]++;
        }
#pragma omp for schedule(guided)
        for (int index = ITERATIONS - 1; index >= 0; index--) {
            hits[index]++;
        }
    }
    check_hits(2 * ROUNDS);
}

static void clauses(void) {
    int last = -1;
#pragma omp parallel for lastprivate(last) schedule(static, 3)
    for (int index = 0; index < ITERATIONS; index++) {
        last = index;
    }
    CHECK_IS(last, ITERATIONS - 1);
#pragma omp parallel for lastprivate(last) schedule(dynamic, 3)
    for (int index = 0; index < ITERATIONS; index += 9) {
        last = -index;
    }
    CHECK_IS(last, -396);
#pragma omp parallel for collapse(2) schedule(guided)
    for (int row = 0; row < 20; row++) {
        for (int column = 0; column < 20; column++) {
            hits[row * 20 + column]++;
        }
    }
#pragma omp parallel for schedule(dynamic, 11)
    for (size_t index = 0; index < ITERATIONS; index++) {
        hits[index]++;
    }
#pragma omp parallel for schedule(guided, 2)
    for (unsigned long index = ITERATIONS; index > 0; index -= 2) {
        hits[index - 1]++;
        hits[index - 2]++;
    }
#pragma omp parallel for schedule(monotonic : dynamic)
    for (uint64_t index = UINT64_MAX - ITERATIONS; index < UINT64_MAX; index++) {
        hits[index + ITERATIONS - UINT64_MAX]++;
    }
    check_hits(4);
}

struct range {
    int least, most;
};

static struct range wider(struct range one, struct range other) {
    return (struct range){one.least < other.least ? one.least : other.least,
                          one.most > other.most ? one.most : other.most};
}

#pragma omp declare reduction(wider                                                                \
                              : struct range                                                       \
                              : omp_out = wider(omp_out, omp_in))                                  \
    initializer(omp_priv = (struct range){100000, -100000})

static void reductions(void) {
    struct range range = {100000, -100000};
#pragma omp parallel for reduction(wider : range)
    for (int index = 0; index < ITERATIONS; index++) {
        int value = index * 7919 % 1009;
        range = wider(range, (struct range){value, value});
    }
    CHECK_IS(range.least, 0);
    CHECK_IS(range.most, 1006);

    long sum = 0, product = 1;
    double most = -1;
    unsigned parts[3] = {0};
    signed char small = 0;
#pragma omp parallel for reduction(+ : sum, parts[:3]) reduction(max : most) reduction(* : product)
    for (int index = 0; index < ITERATIONS; index++) {
        sum += index;
        most = index % 97 > most ? index % 97 : most;
        product *= index % 40 == 0 ? 2 : 1;
        parts[index % 3]++;
    }
    CHECK_IS(sum, ITERATIONS * (ITERATIONS - 1) / 2);
    CHECK(most == 96);
    CHECK_IS(product, 1 << 10);
    CHECK_IS(parts[0] + 1000 * parts[1] + 1000000 * parts[2], 133133134);
#pragma omp parallel
#pragma omp atomic
    small += 1; /* of a size that needs the library's lock */
    CHECK_IS(small, size);
}

static void exclusion(void) {
    static unsigned unnamed, named, locked, nested;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        volatile unsigned value;
#pragma omp critical
        {
            value = unnamed;
            dawdle(round);
            unnamed = value + 1;
        }
#pragma omp critical(other)
        {
            value = named;
            dawdle(round);
            named = value + 1;
        }
        if (round % 2 == 0 || !omp_test_lock(&lock)) {
            omp_set_lock(&lock);
        }
        value = locked;
        dawdle(round);
        locked = value + 1;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        CHECK_IS(omp_test_nest_lock(&nest), 2);
        value = nested;
        omp_unset_nest_lock(&nest);
        dawdle(round);
        nested = value + 1;
        omp_unset_nest_lock(&nest);
    }
    CHECK_IS(unnamed, size * ROUNDS);
    CHECK_IS(named, size * ROUNDS);
    CHECK_IS(locked, size * ROUNDS);
    CHECK_IS(nested, size * ROUNDS);
    CHECK_IS(omp_test_lock(&lock), 1);
    CHECK_IS(omp_test_lock(&lock), 0);
    omp_unset_lock(&lock);
    CHECK_IS(omp_test_lock(&lock), 1);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}

static void once(void) {
    unsigned singles = 0, without = 0, masked = 0;
    int copied = -1;
#pragma omp parallel firstprivate(copied)
    for (int round = 0; round < ROUNDS; round++) {
        dawdle(round);
#pragma omp single nowait
        __atomic_fetch_add(&without, 1, __ATOMIC_RELAXED);
#pragma omp single nowait
        __atomic_fetch_add(&without, 1, __ATOMIC_RELAXED);
#pragma omp single
        singles++;
        CHECK_IS(singles, round + 1);
#pragma omp single copyprivate(copied)
        copied = round;
        CHECK_IS(copied, round);
#pragma omp masked
        masked++;
#pragma omp barrier
    }
    CHECK_IS(singles, ROUNDS);
    CHECK_IS(without, 2 * ROUNDS);
    CHECK_IS(masked, ROUNDS);
}

static void sections(void) {
    unsigned done[5] = {0};
#pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp sections
        {
#pragma omp section
            done[0]++;
#pragma omp section
            done[1]++;
#pragma omp section
            done[2]++;
        }
    }
#pragma omp parallel sections
    {
#pragma omp section
        done[3]++;
#pragma omp section
        done[4]++;
    }
    for (int index = 0; index < 5; index++) {
        CHECK_IS(done[index], index < 3 ? ROUNDS : 1);
    }
}

static int own = 3;
#pragma omp threadprivate(own)

static void threadprivate(void) {
#pragma omp parallel
    own += omp_get_thread_num();
#pragma omp parallel
    CHECK_IS(own, 3 + omp_get_thread_num());
    own = 70;
#pragma omp parallel copyin(own)
    CHECK_IS(own, 70);
}

/* A region in a region has one thread, and what is around it goes on. */
static void nested(void) {
#pragma omp parallel
    {
        unsigned sum = 0;
        int number = omp_get_thread_num();
#pragma omp for schedule(dynamic)
        for (int index = 0; index < 40; index++) {
#pragma omp parallel reduction(+ : sum)
            {
                CHECK_IS(omp_get_thread_num(), 0);
                CHECK_IS(omp_get_num_threads(), 1);
                CHECK_IS(omp_get_level(), 2);
                CHECK_IS(omp_in_parallel(), size > 1);
#pragma omp for schedule(dynamic, 3)
                for (int inner = 0; inner < 10; inner++) {
                    sum++;
                }
#pragma omp single
                sum += 100;
#pragma omp barrier
            }
            __atomic_fetch_add(&hits[index], sum, __ATOMIC_RELAXED);
            sum = 0;
            CHECK_IS(omp_get_thread_num(), number);
            CHECK_IS(omp_get_num_threads(), size);
        }
    }
    for (int index = 0; index < 40; index++) {
        CHECK_IS(hits[index], 110);
        hits[index] = 0;
    }
}

/* Constructs outside of any region. */
static void orphans(void) {
    unsigned sum = 0;
#pragma omp for schedule(dynamic)
    for (int index = 0; index < ITERATIONS; index++) {
        sum++;
    }
#pragma omp single
    sum++;
#pragma omp barrier
#pragma omp critical
    sum++;
    CHECK_IS(sum, ITERATIONS + 2);
    CHECK_IS(omp_get_thread_num(), 0);
}

/* Called long after the test should have ended: a thread waits for ever. */
void too_late(intptr_t unused) {
    takt_panic("the constructs have not come to an end");
}

void constructs(intptr_t threads) {
    size = (int)threads;
    double begin = omp_get_wtime();
    regions();
    counts();
    barriers();
    loops();
    clauses();
    reductions();
    exclusion();
    once();
    sections();
    threadprivate();
    nested();
    orphans();
    omp_set_num_threads(size);
    schedules(size);
    interface(size);
    small(size);
    loops();
    once();
    CHECK(omp_get_wtime() > begin);
    check_end();
}
