// SPDX-License-Identifier: Apache-2.0
// Two loads and a store through a page table of one entry, whose A and D bits are not set.
#include "program.h"

uint64_t table[512] __attribute__((aligned(4096)));
LINE volatile uint64_t word;

int main(uint64_t hart, uint64_t harts) {
    (void)harts;
    if (hart != 0) {
        return 0;
    }
    __asm__ volatile("csrw pmpaddr0, %0\n\tcsrw pmpcfg0, %1" ::"r"(-1), "r"(0x1f));
    table[2] = 0x80000000ull >> 2 | 0x7; // RWX and valid
    uint64_t mprv = 1 << 17, previous = 3 << 11, supervisor = 1 << 11;
    __asm__ volatile(
        "csrw satp, %0\n\tsfence.vma\n\t"
        "csrc mstatus, %1\n\tcsrs mstatus, %2\n\tcsrs mstatus, %3\n\t"
        "ld t2, 0(%4)\n\tld t2, 0(%4)\n\tsd zero, 0(%4)\n\t"
        "csrc mstatus, %3\n\tcsrw satp, zero" ::"r"(8ull << 60 | (uint64_t)table >> 12),
        "r"(previous), "r"(supervisor), "r"(mprv), "r"(&word)
        : "t2", "memory");
    return 0;
}
