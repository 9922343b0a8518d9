// SPDX-License-Identifier: Apache-2.0
// Core 0 sends blocks to the workers, one message for each, counted modulo 4; a worker sums its
// block up in place, answers and sends a message back, and core 0 gathers the sums. With EARLY the
// message goes before the data, and sums are wrong.
#include "program.h"
#include "subnets.h"

enum { ROUNDS = 12, WORDS_OF_A_BLOCK = 48, BLOCK = 0x4000, SUMS = 0x8000 };

static volatile uint32_t *at(uint64_t offset) {
    return (volatile uint32_t *)(SCRATCHPAD + offset);
}

// Adds to a part of the own entry for another core; the parts of 2 bits wrap.
static uint32_t add(uint32_t own, unsigned shift) {
    uint32_t part = own >> shift & 3;
    return (own & ~(UINT32_C(3) << shift)) | ((part + 1) & 3) << shift;
}

static void await(volatile uint32_t *view, unsigned shift, uint32_t count) {
    while ((*view >> shift & 3) != (count & 3)) {
    }
    __asm__ volatile("fence i, iorw" ::: "memory");
}

#define FENCE __asm__ volatile("fence iorw, o" ::: "memory")

static uint32_t value(unsigned core, unsigned round, unsigned i) {
    return (core << 24) ^ (round << 16) ^ (i * 0x2545f491);
}

#ifdef WORKER

int main(uint64_t core, uint64_t harts) {
    (void)harts;
    // Field 0 of a worker's entry and of its views is core 0.
    uint32_t own = 0;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        await(&ARRIVALS, 0, round);
        uint32_t sum = 0;
        for (unsigned i = 0; i < WORDS_OF_A_BLOCK; i++) {
            sum += at(BLOCK)[i];
        }
        // The sum before has been gathered.
        await(&ANSWERS, 0, round - 1);
        at(SUMS)[0] = sum;
        FENCE;
        own = add(add(own, 0), 16);
        *ENTRY(core) = own;
    }
    return 0;
}

#else

static uint32_t fill(unsigned core, unsigned round) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < WORDS_OF_A_BLOCK; i++) {
        uint32_t word = value(core, round, i);
        at(BLOCK)[i] = word;
        sum += word;
    }
    return sum;
}

int main(uint64_t hart, uint64_t harts) {
    uint32_t own = 0, sums[CORES];
    for (unsigned core = harts; core < CORES; core++) {
        worker_start(core);
    }
    for (unsigned round = 1; round <= ROUNDS; round++) {
        for (unsigned core = harts; core < CORES; core++) {
            unsigned k = field(core, hart);
            sums[core] = fill(core, round);
            await(&ANSWERS, 2 * k, round - 1);
#ifdef EARLY
            *ENTRY(hart) = own = add(own, 16 + 2 * k);
#endif
            if (copy(SEND, BLOCK, BLOCK, 4 * WORDS_OF_A_BLOCK, 1 << core) != DONE) {
                return 1;
            }
#ifndef EARLY
            FENCE;
            *ENTRY(hart) = own = add(own, 16 + 2 * k);
#endif
        }
        for (unsigned core = harts; core < CORES; core++) {
            await(&ARRIVALS, 2 * field(core, hart), round);
        }
        if (copy(GATHER, SUMS, SUMS, 4, 0x1fe) != DONE) {
            return 2;
        }
        for (unsigned core = harts; core < CORES; core++) {
            if (at(SUMS)[core - 1] != sums[core]) {
                return 3;
            }
            own = add(own, 2 * field(core, hart));
        }
        FENCE;
        *ENTRY(hart) = own;
    }
    return 0;
}

#endif
