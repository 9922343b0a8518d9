// SPDX-License-Identifier: Apache-2.0
// Harts 0 to 2 have scratchpads that no other reaches, hart 3 has none; nor has anyone a page table
// or a DMA in one.
#include "program.h"
#include "traps.h"

#define OWN    0x70000000
#define WINDOW 0x71000000
enum { LOAD_ACCESS_FAULT = 5, STORE_ACCESS_FAULT = 7 };

int main(uint64_t hart, uint64_t harts) {
    struct traps *caught = trap_catch_all(hart);
    TRAP_LOAD("ld", WINDOW);
    if (!trapped(caught, LOAD_ACCESS_FAULT, WINDOW)) {
        return 1;
    }
    TRAP_STORE("sd", WINDOW, 1);
    if (!trapped(caught, STORE_ACCESS_FAULT, WINDOW)) {
        return 2;
    }
    if (hart == 3) {
        TRAP_STORE("sd", OWN, 1);
        if (!trapped(caught, STORE_ACCESS_FAULT, OWN)) {
            return 3;
        }
    } else {
        for (uint64_t i = 0; i < 64; i++) {
            ((volatile uint64_t *)OWN)[i] = hart << 32 | i;
        }
    }
    barrier(harts);
    for (uint64_t i = 0; hart < 3 && i < 64; i++) {
        if (((volatile uint64_t *)OWN)[i] != (hart << 32 | i)) {
            return 4;
        }
    }
    if (hart == 0) {
        // The page table in the scratchpad: a load in S-mode, by MPRV, is an access fault.
        __asm__ volatile("csrw pmpaddr0, %0\n\tcsrw pmpcfg0, %1" ::"r"(-1), "r"(0x1f));
        uint64_t table = 8ull << 60 | OWN >> 12, mprv = 1 << 17, previous = 3 << 11,
                 supervisor = 1 << 11;
        __asm__ volatile("csrw satp, %0\n\tsfence.vma" ::"r"(table) : "memory");
        __asm__ volatile(".option push\n\t.option norvc\n\t"
                         "csrc mstatus, %0\n\tcsrs mstatus, %1\n\tcsrs mstatus, %2\n\t"
                         "ld t2, 0(%3)\n\t" // the handler comes back with MPRV set still
                         "csrw satp, zero\n\t.option pop" ::"r"(previous),
                         "r"(supervisor), "r"(mprv), "r"(0x80000000ull)
                         : "t2", "memory");
        __asm__ volatile("csrc mstatus, %0" ::"r"(mprv) : "memory");
        if (!trapped(caught, LOAD_ACCESS_FAULT, 0x80000000)) {
            return 5;
        }
    }
    barrier(harts);
    return 0;
}
