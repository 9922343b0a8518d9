/* SPDX-License-Identifier: Apache-2.0 */
/* The 16550 UART, transmitting only, polled. The firmware has set its speed. */
#ifndef DRIVERS_UART16550_H
#define DRIVERS_UART16550_H

#include <stdint.h>

struct uart16550 {
    volatile uint8_t *registers;
    uint32_t shift; /* log2 of the distance of two registers in bytes */
};

/* Sends one byte; gives it up when the UART takes none for a million reads of its status. */
static inline void uart16550_put(const struct uart16550 *uart, char c) {
    enum { TRANSMIT = 0, LINE_STATUS = 5, TRANSMIT_EMPTY = 0x20, PATIENCE = 1000000 };
    for (int i = 0; i < PATIENCE; i++) {
        if (uart->registers[(uint32_t)LINE_STATUS << uart->shift] & TRANSMIT_EMPTY) {
            uart->registers[(uint32_t)TRANSMIT << uart->shift] = (uint8_t)c;
            return;
        }
    }
}

#endif
