/* SPDX-License-Identifier: Apache-2.0 */
/* A phase: the first `cores` workers count the operations that they complete between two times. */
#ifndef BENCH_KERNEL_PHASE_H
#define BENCH_KERNEL_PHASE_H

#include "bench.h"

enum { CORES_MAX = 128 };

/* The begin and the end of the phase in ticks. main writes it before it starts the workers. */
static struct { uint64_t begin, end; } phase __attribute__((aligned(64)));

static struct { uint64_t done; } counts[CORES_MAX] __attribute__((aligned(64)));

/* Lets `cores` workers work for `length` ns; returns the sum of their operations. */
static inline uint64_t count_phase(unsigned cores, takt_time length) {
    uint64_t start = ticks();
    takt_time now = takt_time_now();
    phase.begin = start + 100000 / TICK;
    phase.end = phase.begin + (uint64_t)length / TICK;
    /* Core 0 is started last, because its worker preempts this task at once. */
    for (unsigned core = cores; core-- > 0;) {
        takt_semaphore_signal(TAKT_SEMAPHORE_go_0 + core);
    }
    takt_task_delay(length + TAKT_MILLISECOND); /* for the last worker */
    takt_assert((takt_time)(ticks() - start) * TICK - (takt_time_now() - now) <
                TAKT_MILLISECOND / 10);
    uint64_t sum = 0;
    for (unsigned core = 0; core < cores; core++) {
        sum += counts[core].done;
    }
    return sum;
}

/* The next number of cores to measure, at most `cores`; 0: none. */
static inline unsigned next_cores(unsigned now, unsigned cores) {
    static const unsigned steps[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 36, 48, 72, 96, 128};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i] > now) {
            return steps[i] <= cores ? steps[i] : 0;
        }
    }
    return 0;
}

/* Performs a worker's part of a phase: counts how often `work` was completed before the end of the
 * phase. */
#define WORK_THROUGH(core, work)                                                                   \
    do {                                                                                           \
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_go_0 + (unsigned)(core)) == TAKT_OK);       \
        uint64_t done = 0;                                                                         \
        while (ticks() < phase.begin) {                                                            \
        }                                                                                          \
        for (work; ticks() < phase.end; work) {                                                    \
            done++;                                                                                \
        }                                                                                          \
        counts[core].done = done;                                                                  \
    } while (0)

#endif
