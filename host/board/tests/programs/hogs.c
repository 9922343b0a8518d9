// SPDX-License-Identifier: Apache-2.0
// Harts that do their worst to each other's memory traffic. HOG says how.
#include "program.h"

#ifndef HOG
#define HOG 0
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef LINES
#define LINES 512
#endif

// Each hart has a MiB of its own behind the first eight of RAM, and one behind the first 512.
#define OWN(hart)     ((volatile uint64_t *)(0x80800000 + ((hart) << 20)))
#define OTHER(hart)   ((volatile uint64_t *)(0xa0000000 + ((hart) << 20)))
// One bank of one controller of tile72 comes again each 8 MiB.
#define BANK(hart, i) ((volatile uint64_t *)(0x80800000 + ((uint64_t)(i) << 23) + ((hart) << 6)))
#define WORDS         8 // of a line

static LINE volatile uint64_t shared[16][WORDS];

static inline uint64_t stream(uint64_t hart) {
    volatile uint64_t *ground = OWN(hart);
    for (uint64_t i = 0; i < LINES * WORDS; i += WORDS) {
        ground[i] = i;
    }
    return 0;
}

static inline uint64_t one_bank(uint64_t hart) {
    for (uint64_t i = 0; i < 60; i++) {
        *BANK(hart, i) = i;
    }
    return 0;
}

static inline uint64_t read(uint64_t hart) {
    volatile uint64_t *ground = OWN(hart);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < LINES * WORDS; i += WORDS) {
        sum += ground[i];
    }
    return sum;
}

static inline uint64_t share(uint64_t hart) {
    for (uint64_t i = 0; i < LINES; i++) {
        shared[(i + hart) % 16][hart % WORDS] = i;
        shared[i % 16][hart % WORDS] += 1;
    }
    return 0;
}

static inline uint64_t hog(uint64_t hart, int kind) {
    switch (kind) {
    case 0:
        return stream(hart);
    case 1:
        return one_bank(hart);
    case 2:
        return read(hart);
    case 3:
        return share(hart);
    default:
        return hog(hart, (int)hart & 3);
    }
}

#if HOG == 6
// A line of one bank of one controller of tile72: two pages for each hart in each of 60 rows, of
// which the next line is in another one, so that each access closes the row of the one before.
static volatile uint64_t *conflict(uint64_t hart, uint64_t page, uint64_t i) {
    uint64_t row = i % 60, line = i / 60 % 64, own = (hart & 1) * 0x88000 + (hart >> 1) * 0x110000;
    return (volatile uint64_t *)(0x80800000 + (row << 23) + (page << 14) + own + (line << 6));
}

// The harts fill their caches with changed lines of the bank. Then they change others of it, each
// of which drives a changed one out, and now and then a line that all of them want.
int main(uint64_t hart, uint64_t harts) {
    for (uint64_t i = 0; i < LINES; i++) {
        *conflict(hart, 0, i) = i;
    }
    barrier(harts);
    for (uint64_t i = 0; i < LINES; i++) {
        *conflict(hart, 1, i) = i;
        if (i % 4 == 0) {
            *conflict(0, 1, i + 60 * hart % 4) = i;
        }
    }
    barrier(harts);
    return 0;
}
#elif HOG == 5
// The harts change lines of one bank, as many as their caches hold, and then read others from
// elsewhere as fast as they can, which drives the changed ones out. Hart 0 reads lines of that bank
// meanwhile.
int main(uint64_t hart, uint64_t harts) {
    uint64_t sum = 0;
    if (hart > 0) {
        for (uint64_t i = 0; i < LINES * WORDS; i += WORDS) {
            OWN(8 * hart)[i] = i;
        }
    }
    barrier(harts);
    for (uint64_t i = 0; i < LINES * WORDS; i += WORDS) {
        sum += hart > 0 ? OTHER(hart)[i] : OWN(0)[i];
    }
    barrier(harts);
    return 0 * sum;
}
#elif HOG == 7
// The harts do what they can to few lines without end: store in streams through the same ones, in
// one order or in one for each hart, load them, and now and then an atomic operation or a
// reservation. Before that they load the pages of these lines, since the prefetcher may ask for any
// of these, and soon their caches hold all of it.
static volatile uint64_t few[(LINES + 63) / 64 * 64][WORDS] __attribute__((aligned(4096)));

int main(uint64_t hart, uint64_t harts) {
    uint64_t sum = 0, random = hart * 0x9e3779b97f4a7c15 + 1;
    for (uint64_t i = sizeof few / sizeof few[0]; i > 0; i--) {
        sum += few[i - 1][0];
    }
    barrier(harts);
    for (uint64_t round = 0;; round++) {
        for (uint64_t i = 0; i < LINES; i++) {
            few[i][hart % WORDS] = round;
        }
        for (uint64_t i = 0; i < LINES; i++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            uint64_t at = random >> 33;
            few[at % LINES][hart % WORDS] = i;
            few[(i + hart) % LINES][hart % WORDS] = i;
            if ((at >> 20 & 63) == (round & 63)) {
                sum += few[(at >> 8) % LINES][0];
                __atomic_fetch_add(&few[at % LINES][hart % WORDS], 1, __ATOMIC_RELAXED);
                uint64_t value = 0;
                __atomic_compare_exchange_n(&few[i][1], &value, sum, true, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED);
            }
        }
    }
}
#else
int main(uint64_t hart, uint64_t harts) {
    uint64_t sum = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        sum += hog(hart, HOG);
        barrier(harts);
    }
    return 0 * sum;
}
#endif
