// SPDX-License-Identifier: Apache-2.0
// Harts interrupt each other all the time, while they compute and touch shared lines.
#include "program.h"

#define MSWI ((volatile uint32_t *)0x2000000)

static LINE volatile uint64_t taken[128][8];
static LINE volatile uint64_t shared[8][8];

__attribute__((interrupt("machine"), aligned(4))) static void handler(void) {
    uint64_t hart;
    __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
    MSWI[hart] = 0;
    taken[hart][0]++;
}

int main(uint64_t hart, uint64_t harts) {
    __asm__ volatile("csrw mtvec, %0\n csrs mie, %1\n csrs mstatus, %1" ::"r"(handler), "r"(8));
    uint64_t sum = 0;
    for (uint64_t round = 0; round < 6; round++) {
        MSWI[(hart + round) % harts] = 1;
        for (uint64_t i = 0; i < 20 + hart; i++) {
            sum += shared[(sum + i) % 8][hart % 8]++;
        }
    }
    barrier(harts);
    __asm__ volatile("csrc mstatus, %0" ::"r"(8));
    return taken[hart][0] == 0 || sum == 1;
}
