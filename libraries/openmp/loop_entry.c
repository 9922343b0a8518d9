/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that GCC calls for loops and sections: a name for each schedule, for signed and
 * unsigned iterators. */
#include <omp.h>

#include "gomp.h"
#include "thread.h"

/* Returns the number of iterations. The step of a loop that goes down is negative. */
static uint64_t iterations(bool up, bool any, uint64_t start, uint64_t end, uint64_t step) {
    uint64_t distance = up ? end - start : start - end;
    return any ? (distance - 1) / (up ? step : -step) + 1 : 0;
}

static void begin_signed(uint32_t schedule, bool ordered, long start, long end, long step,
                         long chunk) {
    bool up = step > 0, any = up ? start < end : start > end;
    uint64_t from = (uint64_t)start, by = (uint64_t)step;
    uint64_t count = iterations(up, any, from, (uint64_t)end, by);
    loop_begin(thread_self(), schedule, ordered, from, by, count, chunk > 0 ? (uint64_t)chunk : 0);
}

static void begin_unsigned(uint32_t schedule, bool ordered, bool up, ulong start, ulong end,
                           ulong step, ulong chunk) {
    uint64_t count = iterations(up, up ? start < end : start > end, start, end, step);
    loop_begin(thread_self(), schedule, ordered, start, step, count, chunk);
}

bool GOMP_loop_dynamic_next(long *from, long *to) {
    return loop_take(thread_self(), (uint64_t *)from, (uint64_t *)to);
}

bool GOMP_loop_ull_dynamic_next(ulong *from, ulong *to) {
    return loop_take(thread_self(), from, to);
}

/* Both functions that begin a loop of a schedule. */
#define START(name, schedule, ordered)                                                             \
    bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *from,         \
                                  long *to) {                                                      \
        begin_signed(schedule, ordered, start, end, step, chunk);                                  \
        return GOMP_loop_dynamic_next(from, to);                                                   \
    }                                                                                              \
    bool GOMP_loop_ull_##name##_start(bool up, ulong start, ulong end, ulong step, ulong chunk,    \
                                      ulong *from, ulong *to) {                                    \
        begin_unsigned(schedule, ordered, up, start, end, step, chunk);                            \
        return GOMP_loop_ull_dynamic_next(from, to);                                               \
    }

START(dynamic, omp_sched_dynamic, false)
START(guided, omp_sched_guided, false)
START(ordered_static, omp_sched_static, true)
START(ordered_dynamic, omp_sched_dynamic, true)
START(ordered_guided, omp_sched_guided, true)

/* The same with the schedule of the thread's settings. */
#define RUNTIME(name, ordered)                                                                     \
    bool GOMP_loop_##name##_start(long start, long end, long step, long *from, long *to) {         \
        const struct settings *settings = &thread_self()->settings;                                \
        begin_signed(settings->schedule, ordered, start, end, step, settings->chunk);              \
        return GOMP_loop_dynamic_next(from, to);                                                   \
    }                                                                                              \
    bool GOMP_loop_ull_##name##_start(bool up, ulong start, ulong end, ulong step, ulong *from,    \
                                      ulong *to) {                                                 \
        const struct settings *settings = &thread_self()->settings;                                \
        begin_unsigned(settings->schedule, ordered, up, start, end, step, (ulong)settings->chunk); \
        return GOMP_loop_ull_dynamic_next(from, to);                                               \
    }

RUNTIME(runtime, false)
RUNTIME(ordered_runtime, true)

void GOMP_loop_end(void) {
    team_barrier(thread_self());
}

void GOMP_loop_end_nowait(void) {
}

/* A region that consists of one loop. Each thread begins the loop before it calls the function. */
struct region {
    void (*function)(void *);
    void *data;
    long start, end, step, chunk;
    uint32_t schedule; /* 0: of the settings */
};

static void run_region(void *argument) {
    const struct region *region = argument;
    const struct settings *settings = &thread_self()->settings;
    bool given = region->schedule > 0;
    begin_signed(given ? region->schedule : settings->schedule, false, region->start, region->end,
                 region->step, given ? region->chunk : settings->chunk);
    region->function(region->data);
}

void GOMP_parallel_loop_dynamic(void (*function)(void *), void *data, unsigned threads, long start,
                                long end, long step, long chunk, unsigned flags) {
    struct region region = {function, data, start, end, step, chunk, omp_sched_dynamic};
    GOMP_parallel(run_region, &region, threads, flags);
}

void GOMP_parallel_loop_guided(void (*function)(void *), void *data, unsigned threads, long start,
                               long end, long step, long chunk, unsigned flags) {
    struct region region = {function, data, start, end, step, chunk, omp_sched_guided};
    GOMP_parallel(run_region, &region, threads, flags);
}

void GOMP_parallel_loop_runtime(void (*function)(void *), void *data, unsigned threads, long start,
                                long end, long step, unsigned flags) {
    struct region region = {function, data, start, end, step, 0, 0};
    GOMP_parallel(run_region, &region, threads, flags);
}

unsigned GOMP_sections_start(unsigned count) {
    loop_begin(thread_self(), omp_sched_dynamic, false, 1, 1, count, 1);
    return GOMP_sections_next();
}

unsigned GOMP_sections_next(void) {
    uint64_t section, end;
    return loop_take(thread_self(), &section, &end) ? (unsigned)section : 0;
}

void GOMP_parallel_sections(void (*function)(void *), void *data, unsigned threads, unsigned count,
                            unsigned flags) {
    GOMP_parallel_loop_dynamic(function, data, threads, 1, (long)count + 1, 1, 1, flags);
}

/* A thread gets its chunks in ascending order in every loop, as monotonic loops ask. */
#define SAME(name, as) extern __typeof__(as) name __attribute__((alias(#as)))
#define SAME_START(name, as)                                                                       \
    SAME(GOMP_loop_##name##_start, GOMP_loop_##as##_start);                                        \
    SAME(GOMP_loop_ull_##name##_start, GOMP_loop_ull_##as##_start)
#define SAME_NEXT(name)                                                                            \
    SAME(GOMP_loop_##name##_next, GOMP_loop_dynamic_next);                                         \
    SAME(GOMP_loop_ull_##name##_next, GOMP_loop_ull_dynamic_next)
SAME_START(nonmonotonic_dynamic, dynamic);
SAME_START(nonmonotonic_guided, guided);
SAME_START(nonmonotonic_runtime, runtime);
SAME_START(maybe_nonmonotonic_runtime, runtime);
SAME_NEXT(guided);
SAME_NEXT(runtime);
SAME_NEXT(nonmonotonic_dynamic);
SAME_NEXT(nonmonotonic_guided);
SAME_NEXT(nonmonotonic_runtime);
SAME_NEXT(maybe_nonmonotonic_runtime);
SAME_NEXT(ordered_static);
SAME_NEXT(ordered_dynamic);
SAME_NEXT(ordered_guided);
SAME_NEXT(ordered_runtime);
SAME(GOMP_parallel_loop_nonmonotonic_dynamic, GOMP_parallel_loop_dynamic);
SAME(GOMP_parallel_loop_nonmonotonic_guided, GOMP_parallel_loop_guided);
SAME(GOMP_parallel_loop_nonmonotonic_runtime, GOMP_parallel_loop_runtime);
SAME(GOMP_parallel_loop_maybe_nonmonotonic_runtime, GOMP_parallel_loop_runtime);
SAME(GOMP_sections_end, GOMP_loop_end);
SAME(GOMP_sections_end_nowait, GOMP_loop_end_nowait);
