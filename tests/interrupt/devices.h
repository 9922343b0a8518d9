/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices that a program can let interrupt: the UART by sending itself a byte, and a second one
 * that differs from machine to machine (dma.c, rtc.c). */
#ifndef TESTS_INTERRUPT_DEVICES_H
#define TESTS_INTERRUPT_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the registers. */
extern const bool spurious_calls; /* of this machine */
void uart_open(void);
void second_open(void);

/* Raises the interrupt, which stays until it is lowered. By one core at a time. The console must
 * not send meanwhile: call it on the console's core. */
void uart_raise(void);
void second_raise(void);

/* From a service routine. False: the UART has no byte, the call is spurious. QEMU's PLIC takes a
 * second request before the first is complete, and its UART raises its line again when a byte has
 * waited for a while in real time. */
bool uart_lower(void);
void second_lower(void);

#endif
