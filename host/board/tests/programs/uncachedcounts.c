// SPDX-License-Identifier: Apache-2.0
// Reads 64 lines of memory that no cache keeps, stores to 32 and counts in 16; if `more` is set,
// again.
#include "program.h"

#define UNCACHED ((volatile uint64_t *)0x40000000)

LINE volatile uint64_t more;

int main(uint64_t hart, uint64_t harts) {
    for (uint64_t turns = more + 1; turns > 0; turns--) {
        for (int line = 0; line < 64; line++) {
            (void)UNCACHED[8 * line];
        }
        for (int line = 0; line < 32; line++) {
            UNCACHED[8 * line] = line;
        }
        for (int line = 0; line < 16; line++) {
            __atomic_fetch_add(UNCACHED + 8 * line, 1, __ATOMIC_RELAXED);
        }
        __asm__ volatile("fence" ::: "memory");
    }
    return 0;
}
