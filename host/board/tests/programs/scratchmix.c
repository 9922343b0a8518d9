// SPDX-License-Identifier: Apache-2.0
// All harts at once load, store and count in their own scratchpads, in each other's and in RAM, in
// an order that hangs on what they read. No count may be lost.
#include "program.h"

#define OWN          0x70000000
#define WINDOW(hart) (0x71000000 + 0x10000 * (hart))
#define ROUNDS       400
#define WORDS        8

static LINE volatile uint64_t shared[64];
static LINE volatile uint64_t counted[8][8];

int main(uint64_t hart, uint64_t harts) {
    uint64_t random = hart * 0x9e3779b97f4a7c15 + 1;
    for (int i = 0; i < WORDS; i++) {
        ((volatile uint64_t *)OWN)[i] = 0;
    }
    barrier(harts);
    for (int round = 0; round < ROUNDS; round++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        uint64_t other = (random >> 33) % harts, word = (random >> 40) % (WORDS - 1);
        volatile uint64_t *place =
            (volatile uint64_t *)((random >> 50 & 3) == 0 ? WINDOW(other) : OWN) + word;
        switch (random >> 60) {
        case 0 ... 3:
            random ^= *place;
            break;
        case 4 ... 7:
            *place = random;
            break;
        case 8 ... 9: {
            volatile uint64_t *last = (volatile uint64_t *)WINDOW(other) + WORDS - 1;
            random ^= __atomic_fetch_add(last, 1, __ATOMIC_RELAXED);
            counted[hart][0]++;
            break;
        }
        case 10 ... 11:
            shared[random % 64] = random;
            break;
        case 12 ... 13:
            random += shared[random % 64];
            break;
        case 14:
            __asm__ volatile("fence" ::: "memory");
            break;
        default:
            for (uint64_t i = 0; i < (random & 31); i++) {
                __asm__ volatile("");
            }
        }
    }
    __asm__ volatile("fence" ::: "memory");
    barrier(harts);
    uint64_t sum = 0, all = 0;
    for (uint64_t other = 0; other < harts; other++) {
        sum += ((volatile uint64_t *)WINDOW(other))[WORDS - 1];
        all += counted[other][0];
    }
    barrier(harts);
    return sum == all && all != 0 ? 0 : 1;
}
