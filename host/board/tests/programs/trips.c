// SPDX-License-Identifier: Apache-2.0
// Hart 1 returns the cycles from one read of the counter to the next with a load from AT between
// them, or, with STORE, with a store and a fence that waits for its arrival. With ROUNDS, all harts
// but 0 load that often at once, and hart 1 returns its cycles.
#include "program.h"

#ifndef ROUNDS
// The code is within a line, so that after the first call no fetch waits.
__attribute__((noinline, aligned(64))) static uint64_t trip(volatile uint64_t *at) {
    uint64_t before, after;
    __asm__ volatile("fence\n\t"
                     "j 1f\n\t"
                     ".balign 64\n"
                     "1: csrr %0, mcycle\n\t"
#ifdef STORE
                     "sd zero, 0(%2)\n\t"
                     "fence w, rw\n\t"
#else
                     "ld t0, 0(%2)\n\t"
#endif
                     "csrr %1, mcycle\n\t"
                     : "=&r"(before), "=&r"(after)
                     : "r"(at)
                     : "t0", "memory");
    return after - before;
}
#endif

int main(uint64_t hart, uint64_t harts) {
    volatile uint64_t *at = (volatile uint64_t *)AT;
    barrier(harts);
    if (hart == 0) {
        return 0;
    }
#ifdef ROUNDS
    uint64_t begin = cycles();
    for (int i = 0; i < ROUNDS; i++) {
        (void)*at;
    }
    return hart == 1 ? (int)(cycles() - begin) : 0;
#else
    // The others have come to rest when the last one is made.
    uint64_t took = 0;
    for (int i = 0; hart == 1 && i < 20; i++) {
        took = trip(at);
    }
    return (int)took;
#endif
}
