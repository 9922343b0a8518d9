// SPDX-License-Identifier: Apache-2.0
// A bit of everything that harts do to each other: shared counters, messages, streams through
// caches that are too small, inter-processor interrupts by way of the ACLINT, timers, LR/SC.
#include "program.h"

#ifndef ROUNDS
#define ROUNDS 3
#endif

#define MSWI  ((volatile uint32_t *)0x2000000)
#define LINES 64

static LINE volatile uint64_t counter;
static LINE volatile uint64_t boxes[128][8];
static LINE volatile uint64_t shared[LINES][8];

static void add_by_reservation(volatile uint64_t *where) {
    uint64_t value, failed;
    do {
        __asm__ volatile("lr.d %0, (%2)\n addi %0, %0, 1\n sc.d %1, %0, (%2)"
                         : "=&r"(value), "=&r"(failed)
                         : "r"(where)
                         : "memory");
    } while (failed);
}

int main(uint64_t hart, uint64_t harts) {
    uint64_t random = hart * 0x9e3779b97f4a7c15 + 1, sum = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 60; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            volatile uint64_t *line = shared[random % LINES];
            switch (random >> 32 & 7) {
            case 0:
                line[random >> 40 & 7] = random;
                break;
            case 1:
                __atomic_fetch_add(&line[1], 1, __ATOMIC_RELAXED);
                break;
            case 2:
                add_by_reservation(&counter);
                break;
            case 3:
                __sync_synchronize();
                break;
            case 4:
                *(volatile uint32_t *)((char *)line + 1 + (random >> 44 & 31)) = 5;
                break;
            case 5:
                sum += *(volatile uint32_t *)((char *)line + 1 + (random >> 44 & 63));
                break;
            default:
                sum += line[random >> 40 & 7];
            }
        }
        // A word to the neighbour, an interrupt to tell it, and sleep until one's own has come.
        uint64_t next = (hart + 1) % harts;
        boxes[next][0] = round + 1;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        MSWI[next] = 1;
        __asm__ volatile("csrs mie, %0" ::"r"(8));
        for (;;) {
            uint64_t pending;
            __asm__ volatile("csrr %0, mip" : "=r"(pending));
            if (pending & 8) {
                break;
            }
            __asm__ volatile("wfi");
        }
        MSWI[hart] = 0;
        while (boxes[hart][0] != round + 1) {
        }
        barrier(harts);
        __asm__ volatile("fence iorw, iorw\n csrc mie, %0" ::"r"(8));
        barrier(harts);
    }
    counter += 0 * sum;
    return 0;
}
