// SPDX-License-Identifier: Apache-2.0
// Litmus tests on harts 0 and 1, ROUNDS rounds with different delays. The code that ends the run is
// a bit for each outcome that was seen: 1 + the bit set by `r0 * 2 + r1`.
#include "program.h"

#ifndef ROUNDS
#define ROUNDS 200
#endif

// Either nothing, or the fence under test.
#ifdef FENCED
#define FENCE(p, s) __asm__ volatile("fence " #p "," #s ::: "memory")
#else
#define FENCE(p, s) __asm__ volatile("" ::: "memory")
#endif

enum { STORE_BUFFERING, MESSAGE_PASSING, LOAD_BUFFERING, COHERENCE };

static struct {
    LINE volatile uint64_t x;
    LINE volatile uint64_t y;
} cells[ROUNDS];
static LINE volatile uint64_t results[ROUNDS][2];

static void wait(uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        __asm__ volatile("nop");
    }
}

// The harts leave the barrier some cycles apart, in each round others.
static void stagger(uint64_t hart, uint64_t round) {
    wait(hart == 0 ? round % 17 * 7 : round / 17 * 11);
}

int main(uint64_t hart, uint64_t harts) {
    for (uint64_t round = 0; round < ROUNDS; round++) {
        volatile uint64_t *x = &cells[round].x, *y = &cells[round].y;
        uint64_t first = 0, second = 0;
        if (hart < 2 && (LITMUS != MESSAGE_PASSING || hart == 1)) {
            // What will be read is here already, as a copy.
            (void)*x;
            (void)*y;
        }
        if (LITMUS == MESSAGE_PASSING && hart == 0) {
            *y = 0; // the flag's line is this hart's, the data's is not
        }
        __sync_synchronize();
        barrier(harts);
        if (hart < 2) {
            stagger(hart, round);
        }
        switch (LITMUS) {
        case STORE_BUFFERING: // both 0: neither store was performed before the other's load
            if (hart == 0) {
                *x = 1;
                FENCE(w, r);
                first = *y;
            } else if (hart == 1) {
                *y = 1;
                FENCE(w, r);
                first = *x;
            }
            break;
        case MESSAGE_PASSING: // flag 1 and data 0: the stores were performed in the other order
            if (hart == 0) {
                *x = 1;
                FENCE(w, w);
                *y = 1;
            } else if (hart == 1) {
                first = *y;
                FENCE(r, r);
                second = *x;
            }
            break;
        case LOAD_BUFFERING:
            if (hart == 0) {
                first = *x;
                FENCE(r, w);
                *y = 1;
            } else if (hart == 1) {
                first = *y;
                FENCE(r, w);
                *x = 1;
            }
            break;
        case COHERENCE: // two reads of one place never go back
            if (hart == 0) {
                *x = 1;
            } else if (hart == 1) {
                first = *x;
                second = *x;
            }
            break;
        }
        if (hart < 2) {
            results[round][hart] = hart == 0 ? first
                                   : LITMUS == STORE_BUFFERING || LITMUS == LOAD_BUFFERING
                                       ? first
                                       : first * 2 + second;
        }
        __sync_synchronize();
        barrier(harts);
    }
    uint64_t seen = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t outcome = LITMUS == STORE_BUFFERING || LITMUS == LOAD_BUFFERING
                               ? results[round][0] * 2 + results[round][1]
                               : results[round][1];
        seen |= 1u << outcome;
    }
    return hart == 0 ? seen : 0;
}
