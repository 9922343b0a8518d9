// SPDX-License-Identifier: Apache-2.0
// Stores of a hart across the bridge to hart 2's scratchpad.
//
// STORES=n: hart 1 returns the cycles of n stores and a fence behind which loads come. REGISTER:
// the last of them is one to a device's register. Otherwise hart 0 stores a number there and,
// behind a fence for stores, to FLAG (0: RAM, 1: the same scratchpad, 2: its own); another waits
// for that and reads the number. The run fails with code 3 if it ever was an older one.
#include "program.h"

#define WINDOW(hart) ((volatile uint64_t *)(0x71000000 + 0x10000 * (hart)))
#define OWN          ((volatile uint64_t *)0x70000000)

#ifdef STORES
#ifdef REGISTER
#define LAST ((volatile uint64_t *)0x40000000)
#else
#define LAST (&WINDOW(2)[0])
#endif

__attribute__((noinline, aligned(64))) static uint64_t trip(volatile uint64_t *at,
                                                            volatile uint64_t *last) {
    uint64_t before, after;
    __asm__ volatile("fence\n\t"
                     "j 1f\n\t"
                     ".balign 64\n"
                     "1: csrr %0, mcycle\n\t"
                     ".rept %4\n\t"
                     "sd zero, 0(%2)\n\t"
                     ".endr\n\t"
                     "sd zero, 0(%3)\n\t"
                     "fence w, rw\n\t"
                     "csrr %1, mcycle\n\t"
                     : "=&r"(before), "=&r"(after)
                     : "r"(at), "r"(last), "i"(STORES - 1)
                     : "memory");
    return after - before;
}

int main(uint64_t hart, uint64_t harts) {
    uint64_t took = 0;
    barrier(harts);
    for (int i = 0; hart == 1 && i < 20; i++) {
        took = trip(&WINDOW(2)[0], LAST);
    }
    return (int)took;
}
#else
// This hart finds the flag soonest.
#define READER (FLAG == 1 ? 2 : 1)

static LINE volatile uint64_t word;

int main(uint64_t hart, uint64_t harts) {
    volatile uint64_t *written = FLAG == 0 ? &word : FLAG == 1 ? &WINDOW(2)[1] : OWN;
    volatile uint64_t *read = FLAG == 0 ? &word : FLAG == 1 ? &OWN[1] : WINDOW(0);
    volatile uint64_t *number = FLAG == 1 ? OWN : WINDOW(2);
    int stale = 0;
    for (uint64_t round = 1; round < 200; round++) {
        barrier(harts);
        if (hart == 0) {
            // The line is this hart's, and the store to it need not wait.
            *written = round - 1;
            __asm__ volatile("fence rw, rw" ::: "memory");
            WINDOW(2)[0] = round;
            __asm__ volatile("fence w, w" ::: "memory");
            *written = round;
        } else if (hart == READER) {
            while (*read != round) {
                pause();
            }
            __asm__ volatile("fence r, r" ::: "memory");
            stale |= *number != round;
        }
    }
    return stale ? 3 : 0;
}
#endif
