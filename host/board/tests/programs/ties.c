// SPDX-License-Identifier: Apache-2.0
// Harts that sleep until one moment and then all want one word in one cycle. Who was first how
// often stands in `wins`.
#include "program.h"

__asm__(".option arch, +zicbom");

#define ROUNDS 4000
#define APART  20 // ticks of the clock: time enough for all

static LINE volatile uint64_t word;
LINE volatile uint64_t wins[128][8];

static void sleep_until(uint64_t moment) {
    uint64_t now;
    __asm__ volatile("csrw stimecmp, %0" ::"r"(moment));
    do {
        __asm__ volatile("wfi\n csrr %0, time" : "=r"(now));
    } while (now < moment);
}

// The first takes it away from the others, all the same how many those are.
static uint64_t take(void) {
#ifdef LOCK
    return __atomic_exchange_n(&word, 1, __ATOMIC_RELAXED);
#else
    return __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
#endif
}

int main(uint64_t hart, uint64_t harts) {
    static LINE volatile uint64_t start;
    __asm__ volatile("csrs menvcfg, %0\n csrs mie, %1" ::"r"(1ul << 63), "r"(1 << 5));
    if (hart == 0) {
        __asm__ volatile("csrr %0, time" : "=r"(start));
    }
    barrier(harts);
    uint64_t moment = start + APART;
    for (uint64_t round = 0; round < ROUNDS; round++, moment += 2 * APART) {
        sleep_until(moment);
        bool first = take() == 0;
        if (first) {
            wins[hart][0]++;
        }
        sleep_until(moment + APART);
        if (first) {
            word = 0;
            // Into memory, or the word would stay with its latest winner.
            __asm__ volatile("cbo.flush 0(%0)" ::"r"(&word) : "memory");
        }
    }
    barrier(harts);
    return 0;
}
