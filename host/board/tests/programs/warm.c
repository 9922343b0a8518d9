// SPDX-License-Identifier: Apache-2.0
// Two walks over the same lines; `measured` is where the second begins. Ends with the cycles of the
// second.
#include "program.h"

#define LINES 256

static LINE volatile uint64_t lines[LINES][8];

__attribute__((noinline)) uint64_t measured(void) {
    uint64_t begin = cycles(), sum = 0;
    for (int i = 0; i < LINES; i++) {
        sum += lines[i * 37 % LINES][0];
    }
    return cycles() - begin + 0 * sum;
}

int main(uint64_t hart, uint64_t harts) {
    uint64_t sum = 0;
    for (int i = 0; i < LINES; i++) {
        sum += lines[i][0];
        lines[i][1] = sum;
    }
    barrier(harts);
    return measured();
}
