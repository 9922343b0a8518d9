/* SPDX-License-Identifier: Apache-2.0 */
/* The 16550 as an interrupting device: in loopback mode it receives what it sends. */
#include <takt/takt.h>

#include "../check.h"
#include "devices.h"

enum { DATA = 0, INTERRUPT_ENABLE = 1, MODEM_CONTROL = 4, LINE_STATUS = 5 };
enum { RECEIVED = 1, LOOP = 0x10, DATA_READY = 1 };

static volatile uint8_t *uart;

void uart_open(void) {
    volatile void *registers = 0;
    CHECK_IS(takt_interrupt_registers(TAKT_INTERRUPT_received, &registers), TAKT_OK);
    uart = registers;
    uart[INTERRUPT_ENABLE] = RECEIVED;
}

void uart_raise(void) {
    uart[MODEM_CONTROL] = LOOP;
    uart[DATA] = 'x';
    uart[MODEM_CONTROL] = 0;
}

bool uart_lower(void) {
    uart[MODEM_CONTROL] = 0; /* the raising code may have been interrupted before it did so */
    bool is_ready = uart[LINE_STATUS] & DATA_READY;
    CHECK(is_ready || spurious_calls);
    if (is_ready) {
        CHECK_IS(uart[DATA], 'x');
    }
    return is_ready;
}
