/* SPDX-License-Identifier: Apache-2.0 */
/* Random pairs of cores, which are the same in every run. */
#ifndef BENCH_KERNEL_RANDOM_H
#define BENCH_KERNEL_RANDOM_H

#include "phase.h"

/* The first `cores` cores in random order; entries 2i and 2i + 1 are a pair. */
static unsigned drawn[CORES_MAX];

static inline void draw_pairs(unsigned cores) {
    static uint64_t lots = 1;
    for (unsigned i = 0; i < cores; i++) {
        lots = lots * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        unsigned place = (unsigned)(lots >> 33) % (i + 1);
        drawn[i] = drawn[place];
        drawn[place] = i;
    }
}

#endif
