// SPDX-License-Identifier: Apache-2.0
// Words beside memory: LOCKS of test-and-set guard a sum in RAM, WORDS are plain. Neither is memory
// for atomics, code, page tables or transfers.
#include "program.h"
#include "traps.h"

#define LOCKS ((volatile uint64_t *)0x60000000)
#define WORDS ((volatile uint64_t *)0x60001000)
#define DMA   ((volatile uint64_t *)DMA_BASE)
enum { SOURCE, DESTINATION, LENGTH, CONTROL, STATUS };
enum { FETCH_ACCESS_FAULT = 1, LOAD_ACCESS_FAULT = 5, STORE_ACCESS_FAULT = 7 };

static LINE volatile uint64_t sum;
static LINE uint64_t here[8];

int main(uint64_t hart, uint64_t harts) {
    struct traps *caught = trap_catch_all(hart);
    for (int i = 0; i < 20; i++) {
        while (LOCKS[1] != 0) {
        }
        __asm__ volatile("fence" ::: "memory");
        sum++;
        __asm__ volatile("fence" ::: "memory");
        LOCKS[1] = 0;
    }
    WORDS[hart] = 100 + hart;
    __asm__ volatile("fence" ::: "memory");
    barrier(harts);
    if (sum != 20 * harts || WORDS[(hart + 1) % harts] != 100 + (hart + 1) % harts ||
        WORDS[hart] != 100 + hart) {
        return 1;
    }
    if (hart != 0) {
        return 0;
    }
    LOCKS[0] = 0x123456789abcdef0;
    if (LOCKS[0] != 0x123456789abcdef0 || LOCKS[0] != 1 || *(volatile uint32_t *)LOCKS != 1) {
        return 2;
    }
    uint64_t words = (uint64_t)WORDS;
    __asm__ volatile("amoadd.d a0, a0, (%0)" ::"r"(words) : "a0", "memory");
    if (!trapped(caught, STORE_ACCESS_FAULT, words)) {
        return 3;
    }
    TRAP_LOAD("lr.d", words);
    if (!trapped(caught, LOAD_ACCESS_FAULT, words)) {
        return 4;
    }
    __asm__ volatile("sc.d a0, a0, (%0)" ::"r"(words) : "a0", "memory");
    if (!trapped(caught, STORE_ACCESS_FAULT, words)) {
        return 5;
    }
    ((void (*)(void))words)();
    if (!trapped(caught, FETCH_ACCESS_FAULT, words)) {
        return 6;
    }
    TRAP_LOAD("lw", words + 4);
    if (!trapped(caught, LOAD_ACCESS_FAULT, words + 4)) {
        return 7;
    }
    uint64_t behind = words + 8 * WORD_COUNT;
    TRAP_LOAD("ld", behind);
    if (!trapped(caught, LOAD_ACCESS_FAULT, behind)) {
        return 8;
    }
    for (int from = 0; from < 2; from++) {
        DMA[SOURCE] = from ? words : (uint64_t)here;
        DMA[DESTINATION] = from ? (uint64_t)here : words;
        DMA[LENGTH] = 8;
        __asm__ volatile("fence rw, o" ::: "memory");
        DMA[CONTROL] = 1;
        while (DMA[STATUS] & 1) {
        }
        if (!(DMA[STATUS] & 4)) {
            return 9;
        }
    }
    return 0;
}
