// SPDX-License-Identifier: Apache-2.0
// Ends with the cycles that one access to a word beside memory takes: a LOAD, a STORE, or a store
// and a fence (FENCED).
#include "program.h"

#define WORD (*(volatile uint64_t *)0x60000000)

int main(uint64_t hart, uint64_t harts) {
    (void)hart, (void)harts;
    uint64_t took = 0;
    // The first round fetches the code.
    for (int round = 0; round < 2; round++) {
        uint64_t begin = cycles();
#ifdef LOAD
        (void)WORD;
#else
        WORD = 1;
#endif
#ifdef FENCED
        __asm__ volatile("fence" ::: "memory");
#endif
        took = cycles() - begin;
        __asm__ volatile("fence" ::: "memory");
    }
    return took;
}
