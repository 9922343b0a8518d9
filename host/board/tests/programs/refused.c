// SPDX-License-Identifier: Apache-2.0
// Registers that a device refuses: the DMA engine takes words and double words only. A load is an
// access fault; a store is one without time, and does nothing where stores to devices are posted
// (STORES_TRAP 0).
#include "program.h"
#include "traps.h"

enum { LOAD_ACCESS_FAULT = 5, STORE_ACCESS_FAULT = 7 };

int main(uint64_t hart, uint64_t harts) {
    (void)harts;
    struct traps *caught = trap_catch_all(hart);
    uint64_t source = DMA_BASE;
    for (int i = 0; i < 3; i++) {
        if (TRAP_LOAD("lb", source + 1) != 0x1234 ||
            !trapped(caught, LOAD_ACCESS_FAULT, source + 1)) {
            return 1;
        }
        // What is not refused goes on as if nothing had been.
        TRAP_STORE("sd", source, 0x55);
        if (TRAP_LOAD("ld", source) != 0x55 || caught->count != 0) {
            return 2;
        }
    }
    TRAP_STORE("sb", source, 0x77);
    __asm__ volatile("fence" ::: "memory");
    if (STORES_TRAP ? !trapped(caught, STORE_ACCESS_FAULT, source) : caught->count != 0) {
        return 3;
    }
    if (TRAP_LOAD("ld", source) != 0x55) {
        return 4;
    }
    // Where nothing is, both know at once.
    uint64_t nothing = DMA_BASE + 0x100000;
    TRAP_LOAD("ld", nothing);
    if (!trapped(caught, LOAD_ACCESS_FAULT, nothing)) {
        return 5;
    }
    TRAP_STORE("sd", nothing, 1);
    return trapped(caught, STORE_ACCESS_FAULT, nothing) ? 0 : 6;
}
