// SPDX-License-Identifier: Apache-2.0
// Hart 0 changes LINES lines; then hart 1 changes them, so that they come from hart 0.
#include "program.h"

#define LINES 256

static LINE volatile uint64_t lines[LINES][8];

static void change(void) {
    for (unsigned line = 0; line < LINES; line++) {
        lines[line][0]++;
    }
}

int main(uint64_t hart, uint64_t harts) {
    if (hart == 0) {
        change();
    }
    barrier(harts);
    if (hart == 1) {
        change();
    }
    return 0;
}
