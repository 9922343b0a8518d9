// SPDX-License-Identifier: Apache-2.0
// Hart 0 stores data to RAM, then a flag to its own scratchpad, without a fence; hart 1 waits for
// the flag by the window and reads the data. The run fails with code 3 if it ever saw the flag
// without the data.
#include "program.h"

#define OWN    ((volatile uint64_t *)0x70000000)
#define WINDOW ((volatile uint64_t *)0x71000000)

static LINE volatile uint64_t data;

int main(uint64_t hart, uint64_t harts) {
    int seen = 0;
    for (uint64_t round = 1; round < 100; round++) {
        // The other has the line, so that the store waits in the buffer.
        if (hart == 1 && data != round - 1) {
            return 1;
        }
        barrier(harts);
        if (hart == 0) {
            data = round;
            OWN[0] = round;
        } else {
            while (WINDOW[0] != round) {
            }
            seen |= data != round;
        }
        barrier(harts);
    }
    return seen ? 3 : 0;
}
