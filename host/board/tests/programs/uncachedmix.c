// SPDX-License-Identifier: Apache-2.0
// All harts at once load, store and count in memory that no cache keeps and in memory that caches
// keep, in an order that hangs on what they read, while the DMA engine copies from one to the
// other. No count may be lost.
#include "program.h"

#define UNCACHED ((volatile uint64_t *)0x40000000)
#define COUNT    UNCACHED[512]
#define DMA      ((volatile uint64_t *)DMA_BASE)
enum { SOURCE, DESTINATION, LENGTH, CONTROL, STATUS };
#define ROUNDS 300
#define WORDS  64

static LINE volatile uint64_t shared[WORDS];
static LINE volatile uint64_t counted[8][8];

static void copy(uint64_t random) {
    if (DMA[STATUS] & 1) {
        return;
    }
    uint64_t memory = (uint64_t)(UNCACHED + 8 * (random >> 20 & 7)),
             caches = (uint64_t)(shared + 8 * (random >> 10 & 7));
    DMA[SOURCE] = random & 1 ? memory : caches;
    DMA[DESTINATION] = random & 1 ? caches : memory;
    DMA[LENGTH] = 64;
    DMA[CONTROL] = 1;
}

int main(uint64_t hart, uint64_t harts) {
    uint64_t random = hart * 0x9e3779b97f4a7c15 + 1;
    COUNT = 0;
    __asm__ volatile("fence" ::: "memory");
    barrier(harts);
    for (int round = 0; round < ROUNDS; round++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        uint64_t word = (random >> 33) % WORDS;
        switch (random >> 60) {
        case 0 ... 3:
            random ^= UNCACHED[word];
            break;
        case 4 ... 6:
            UNCACHED[word] = random;
            break;
        case 7:
            // A part of what the buffer may hold.
            ((volatile uint8_t *)(UNCACHED + word))[random >> 50 & 7] = random;
            break;
        case 8 ... 9:
            random ^= __atomic_fetch_add(&COUNT, 1, __ATOMIC_RELAXED);
            counted[hart][0]++;
            break;
        case 10 ... 11:
            shared[word] = random;
            break;
        case 12:
            random += shared[word];
            break;
        case 13:
            if (hart == 0) {
                copy(random);
            }
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
    uint64_t all = 0;
    for (uint64_t other = 0; other < harts; other++) {
        all += counted[other][0];
    }
    return COUNT == all && all != 0 ? 0 : 1;
}
