// SPDX-License-Identifier: Apache-2.0
// Uses the example device at ALARM, whose wire is the PLIC's source SOURCE.
#include "program.h"

#define ALARM ((volatile uint64_t *)0x50000000)
#define PLIC  0xc000000
enum { AFTER, RUNG, ADDRESS, ADD };
#define SOURCE 20
#define WAIT   5000

static LINE volatile uint64_t word;

static volatile uint32_t *plic(uint64_t offset) {
    return (volatile uint32_t *)(PLIC + offset);
}

static int add(uint64_t address, uint64_t value) {
    ALARM[ADDRESS] = address;
    __asm__ volatile("fence" ::: "memory");
    ALARM[ADD] = value;
    uint64_t busy;
    while ((busy = ALARM[ADD]) == 1) {
    }
    return (int)busy;
}

int main(uint64_t hart, uint64_t harts) {
    (void)harts;
    if (hart != 0) {
        return 0;
    }
    *plic(4 * SOURCE) = 1;
    *plic(0x2000) = 1u << SOURCE;
    *plic(0x200000) = 0;
    __asm__ volatile("csrw mie, %0" ::"r"(1 << 11));
    for (uint64_t round = 1; round <= 3; round++) {
        uint64_t before = cycles();
        ALARM[AFTER] = WAIT;
        if (ALARM[AFTER] == 0 || ALARM[AFTER] > WAIT) {
            return 1;
        }
        uint64_t pending;
        do {
            __asm__ volatile("wfi\n\tcsrr %0, mip" : "=r"(pending));
        } while (!(pending & 1 << 11));
        uint64_t passed = cycles() - before;
        if (passed < WAIT || passed > WAIT + SLACK) {
            return 2;
        }
        if (*plic(0x200004) != SOURCE || ALARM[RUNG] != round || ALARM[AFTER] != 0) {
            return 3;
        }
        ALARM[RUNG] = 0;
        (void)ALARM[RUNG]; // the store has arrived
        *plic(0x200004) = SOURCE;
        word = round * 100;
        if (add((uint64_t)&word, round) != 0 || word != round * 101) {
            return 4;
        }
    }
    // There is no memory at this address.
    return add(0x10, 1) == 2 ? 0 : 5;
}
