/* SPDX-License-Identifier: Apache-2.0 */
/* Drives a 16550 UART: transmits only, by polling. The firmware has set its speed. */
#ifndef DRIVERS_UART16550_H
#define DRIVERS_UART16550_H

#include <stdbool.h>
#include <stdint.h>

struct uart16550 {
    volatile uint8_t *registers;
    uint32_t shift; /* log2 of the distance of two registers in bytes */
};

enum { UART16550_TRANSMIT = 0, UART16550_LINE_STATUS = 5, UART16550_TRANSMIT_EMPTY = 0x20 };

/* Waits until the UART accepts a byte. Returns false after a million reads of its status. */
static inline bool uart16550_wait(const struct uart16550 *uart) {
    enum { PATIENCE = 1000000 };
    for (int i = 0; i < PATIENCE; i++) {
        if (uart->registers[(uint32_t)UART16550_LINE_STATUS << uart->shift] &
            UART16550_TRANSMIT_EMPTY) {
            return true;
        }
    }
    return false;
}

/* Sends one byte; drops it if the UART does not accept it in that time. */
static inline void uart16550_put(const struct uart16550 *uart, char c) {
    if (uart16550_wait(uart)) {
        uart->registers[(uint32_t)UART16550_TRANSMIT << uart->shift] = (uint8_t)c;
    }
}

#endif
