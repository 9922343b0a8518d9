/* SPDX-License-Identifier: Apache-2.0 */
/* The board's DMA engine as an interrupting device: a copy of 0 bytes completes at once. */
#include <takt/takt.h>

#include "../check.h"
#include "devices.h"

enum { LENGTH = 2, CONTROL = 3, STATUS = 4 };
enum { START_AND_INTERRUPT = 3, DONE = 2 };

const bool spurious_calls = false;

static volatile uint64_t *dma;

void second_open(void) {
    volatile void *registers = 0;
    CHECK_IS(takt_interrupt_registers(TAKT_INTERRUPT_second, &registers), TAKT_OK);
    dma = registers;
    dma[LENGTH] = 0;
}

void second_raise(void) {
    dma[CONTROL] = START_AND_INTERRUPT;
}

void second_lower(void) {
    CHECK(dma[STATUS] & DONE);
    dma[STATUS] = DONE;
}
