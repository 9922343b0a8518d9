/* SPDX-License-Identifier: Apache-2.0 */
/* The least, median and greatest number of cycles of an operation that was performed many times. */
#ifndef BENCH_KERNEL_COSTS_H
#define BENCH_KERNEL_COSTS_H

#include "bench.h"

enum { WARM = 10, ROUNDS = 101 };

struct costs {
    uint32_t count; /* including the first WARM ones, which are not kept */
    uint64_t kept[ROUNDS];
};

/* Values after the last round are not kept either. */
static inline void costs_note(struct costs *costs, uint64_t cycles) {
    uint32_t place = costs->count++ - WARM;
    if (place < ROUNDS) {
        costs->kept[place] = cycles;
    }
}

/* Insertion sort is enough, because ROUNDS is small. */
static inline void costs_sort(struct costs *costs) {
    for (unsigned i = 1; i < ROUNDS; i++) {
        uint64_t value = costs->kept[i];
        unsigned at = i;
        for (; at > 0 && costs->kept[at - 1] > value; at--) {
            costs->kept[at] = costs->kept[at - 1];
        }
        costs->kept[at] = value;
    }
}

/* Prints the figures, and makes room for new ones. */
static inline void costs_print(const char *what, const char *name, struct costs *costs) {
    takt_assert(costs->count >= WARM + ROUNDS);
    costs_sort(costs);
    printf("bench,%s,%s,%lu,%lu,%lu\n", what, name, costs->kept[0], costs->kept[ROUNDS / 2],
           costs->kept[ROUNDS - 1]);
    costs->count = 0;
}

#endif
