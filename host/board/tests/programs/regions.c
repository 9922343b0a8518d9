// SPDX-License-Identifier: Apache-2.0
// Memory in two regions, the second at OTHER: every kind of access, by all harts, and transfers
// from one to the other.
#include "program.h"
#include "traps.h"

#define OTHER       0x120000000ull
#define OTHER_BYTES 0x2000000ull
#define DMA         ((volatile uint64_t *)DMA_BASE)
enum { SOURCE, DESTINATION, LENGTH, CONTROL, STATUS };
enum { LOAD_ACCESS_FAULT = 5, STORE_ACCESS_FAULT = 7 };

static LINE uint64_t here[512];

int main(uint64_t hart, uint64_t harts) {
    struct traps *caught = trap_catch_all(hart);
    uint64_t *there = (uint64_t *)OTHER;
    for (uint64_t i = hart; i < 20000; i += harts) {
        there[i] = i * 7;
    }
    uint64_t *count = there + 30000;
    for (int i = 0; i < 50; i++) {
        __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
        uint64_t value, failed;
        __asm__ volatile("1: lr.d %0, (%2)\n\taddi %0, %0, 1\n\tsc.d %1, %0, (%2)\n\tbnez %1, 1b"
                         : "=&r"(value), "=&r"(failed)
                         : "r"(count + 8)
                         : "memory");
    }
    __sync_synchronize();
    barrier(harts);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        sum += there[i] != i * 7;
    }
    if (sum != 0 || count[0] != 50 * harts || count[8] != 50 * harts) {
        return 1;
    }
    // A misaligned pair across lines, and code: `li a0, 7; ret`.
    volatile uint32_t *code = (volatile uint32_t *)(OTHER + 0x100000 + 256 * hart);
    code[0] = 0x00700513;
    code[1] = 0x00008067;
    __asm__ volatile("fence.i" ::: "memory");
    if (((int (*)(void))code)() != 7) {
        return 2;
    }
    volatile uint64_t *across = (volatile uint64_t *)(OTHER + 0x200000 + 256 * hart + 61);
    *across = 0x1122334455667788;
    if (*across != 0x1122334455667788) {
        return 3;
    }
    uint64_t end = OTHER + OTHER_BYTES;
    *(volatile uint64_t *)(end - 8) = 5;
    if (!WHOLE) {
        TRAP_LOAD("ld", end);
        if (!trapped(caught, LOAD_ACCESS_FAULT, end)) {
            return 4;
        }
        TRAP_STORE("sd", OTHER - 8, 1);
        if (!trapped(caught, STORE_ACCESS_FAULT, OTHER - 8)) {
            return 5;
        }
    }
    barrier(harts);
    if (hart == 0) {
        DMA[SOURCE] = OTHER + 16;
        DMA[DESTINATION] = (uint64_t)here;
        DMA[LENGTH] = sizeof here;
        __asm__ volatile("fence rw, o" ::: "memory");
        DMA[CONTROL] = 1;
        while (DMA[STATUS] & 1) {
        }
        for (uint64_t i = 0; i < 512; i++) {
            if (((volatile uint64_t *)here)[i] != (i + 2) * 7) {
                return 6;
            }
        }
    }
    return 0;
}
