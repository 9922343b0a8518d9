// SPDX-License-Identifier: Apache-2.0
// Harts spin on a word of their own scratchpad for a long time, until hart 0 writes it through
// their window.
#include "program.h"

#define OWN          ((volatile uint64_t *)0x70000000)
#define WINDOW(hart) ((volatile uint64_t *)(0x71000000 + 0x10000 * (hart)))

static volatile uint64_t sum[64];

int main(uint64_t hart, uint64_t harts) {
    OWN[8] = 0;
    barrier(harts);
    for (uint64_t round = 1; round <= 5; round++) {
        if (hart == 0) {
            for (unsigned i = 0; i < 3000; i++) {
                sum[i % 64] += i;
            }
            for (uint64_t other = 1; other < harts; other++) {
                WINDOW(other)[8] = round;
            }
        } else {
            while (OWN[8] != round) {
            }
        }
        barrier(harts);
    }
    return 0;
}
