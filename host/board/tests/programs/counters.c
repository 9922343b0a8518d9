// SPDX-License-Identifier: Apache-2.0
// The programmable counters count loads and stores to LINES new lines, and an overflow is an
// interrupt.
#include "program.h"

#define LINES 300
#define LCOFI (1 << 13)

#define event(n, value) __asm__ volatile("csrw mhpmevent" #n ", %0" ::"r"(value))
#define counter(n)                                                                                 \
    ({                                                                                             \
        uint64_t value_;                                                                           \
        __asm__ volatile("csrr %0, mhpmcounter" #n : "=r"(value_));                                \
        value_;                                                                                    \
    })

enum { L1D_MISS = 3, L2_MISS = 5, LLC_MISS = 6, MEMORY_READ = 7, MEMORY_WRITE = 8 };

static LINE volatile uint64_t lines[LINES][8];
static LINE volatile uint64_t fresh[LINES][8];
static LINE volatile uint64_t asleep[8];
static LINE volatile uint64_t big[16384][8];

static int near(uint64_t value, uint64_t wanted) {
    return value >= wanted && value <= wanted + 8; // the program's own fetches and variables
}

// Reads ten lines that were displaced, from `first` on; returns after how many cycles, and a round
// of the loop that looks, the overflow is pending in mip.
__attribute__((noinline)) static uint64_t overflow_is_late(int first) {
    uint64_t sum = 0, pending;
    __asm__ volatile("csrw mhpmcounter3, %0" ::"r"(-10ul));
    event(3, L1D_MISS);
    __asm__ volatile("csrw mip, zero");
    for (int i = 0; i < 10; i++) {
        sum += big[first + i * 7][0];
    }
    uint64_t missed = cycles();
    do {
        __asm__ volatile("csrr %0, mip" : "=r"(pending));
    } while (!(pending & LCOFI) && cycles() - missed < 5000);
    return pending & LCOFI ? cycles() - missed : UINT64_MAX;
}

int main(uint64_t hart, uint64_t harts) {
    event(3, L1D_MISS);
    event(4, L2_MISS);
    event(5, LLC_MISS);
    event(6, MEMORY_READ);
    event(7, MEMORY_WRITE);
    uint64_t sum = 0, l1 = counter(3), l2 = counter(4), llc = counter(5), read = counter(6);
    for (int i = 0; i < LINES; i++) {
        sum += lines[i][0];
    }
    if (!near(counter(3) - l1, LINES) || !near(counter(4) - l2, LINES)) {
        return 1;
    }
    if (!near(counter(5) - llc, LINES) || !near(counter(6) - read, LINES) || counter(7) != 0) {
        return 2;
    }
    read = counter(6);
    for (int i = 0; i < LINES; i++) {
        sum += lines[i][1]; // all in L2
    }
    if (!near(counter(6) - read, 0)) {
        return 3;
    }
    for (int i = 0; i < 16384; i++) {
        big[i][0] = i; // 1 MiB of changed lines: most leave the L2 again
    }
    __sync_synchronize();
    if (counter(7) < 16384 - 4096 - 300 || counter(7) > 16384) {
        return 4;
    }
#ifdef HOME
    // Operations at the home of lines that no cache has, and again of some that the home's has.
    l1 = counter(3), llc = counter(5), read = counter(6);
    for (int i = 0; i < LINES; i++) {
        __atomic_fetch_add(&fresh[i][0], 1, __ATOMIC_RELAXED);
    }
    if (!near(counter(5) - llc, LINES) || !near(counter(6) - read, LINES) ||
        !near(counter(3) - l1, 0)) {
        return 6;
    }
    llc = counter(5), read = counter(6);
    for (int i = LINES - 20; i < LINES; i++) {
        __atomic_fetch_add(&fresh[i][0], 1, __ATOMIC_RELAXED);
    }
    if (!near(counter(5) - llc, 0) || !near(counter(6) - read, 0)) {
        return 7;
    }
#endif
    // The second time the code is in the cache.
    if (overflow_is_late(0) == UINT64_MAX || overflow_is_late(700) > SKID + 100) {
        return 5;
    }
    // A hart that sleeps is woken by the overflow of an event that its store buffer brings about.
    uint64_t pending;
    __asm__ volatile("csrw mie, %0; csrw mip, zero" ::"r"(LCOFI));
    event(3, 0);
    __asm__ volatile("csrw mhpmcounter3, %0" ::"r"(-1ul));
    event(3, MEMORY_READ);
    asleep[0] = 1;
    __asm__ volatile("wfi; csrr %0, mip" : "=r"(pending)::"memory");
    if (pending != LCOFI) {
        return 8;
    }
    return sum == 12345;
}
