// SPDX-License-Identifier: Apache-2.0
// Hart 0 stores data, then a flag, without a fence, the one to memory that no cache keeps and the
// other to memory that caches keep, and the other way round, at last by an atomic operation, which
// waits for all stores; hart 1 waits for the flag and reads the data. The run fails with 16 and a
// bit for each way in which the flag was seen without the data. With FENCE there is one between the
// stores.
#include "program.h"

#define UNCACHED ((volatile uint64_t *)0x40000000)

static LINE volatile uint64_t cached;
static LINE volatile uint64_t again;

static bool late(uint64_t hart, volatile uint64_t *data, volatile uint64_t *flag, uint64_t round,
                 bool atomic) {
    if (hart == 0) {
        // The second of two stores to a line of uncached memory waits for the first.
        UNCACHED[1] = round;
        *data = round;
#if FENCE
        __asm__ volatile("fence w, w" ::: "memory");
#endif
        if (atomic) {
            __atomic_exchange_n(flag, round, __ATOMIC_RELAXED);
        } else {
            *flag = round;
        }
        return false;
    }
    while (*flag != round) {
    }
    return *data != round;
}

int main(uint64_t hart, uint64_t harts) {
    static LINE volatile uint64_t own;
    uint64_t seen = 0;
    for (uint64_t round = 1; round < 60; round++) {
        // Hart 0 owns the flag's line, and has not that of the data.
        if (hart == 0) {
            own = 0;
        }
        if (hart == 1 && cached == round) {
            return 1;
        }
        __asm__ volatile("fence" ::: "memory");
        barrier(harts);
        seen |= late(hart, UNCACHED, &own, round, false) ? 1 : 0;
        __asm__ volatile("fence" ::: "memory");
        barrier(harts);
        seen |= late(hart, &cached, UNCACHED + 64, round, false) ? 2 : 0;
        __asm__ volatile("fence" ::: "memory");
        barrier(harts);
        if (hart == 1 && again == round) {
            return 1;
        }
        barrier(harts);
        seen |= late(hart, &again, UNCACHED + 128, round, true) ? 4 : 0;
        __asm__ volatile("fence" ::: "memory");
        barrier(harts);
    }
    return seen ? 16 | seen : 0;
}
