/* SPDX-License-Identifier: Apache-2.0 */
/* The console: a ring a core, sent to the UART by the console core's idle loop. */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include <takt/system.h>

/* Sends what all rings hold, polled. The console core's idle loop, or the core that has stopped
 * all others. Preemptible. */
void console_send(void);

/* Prints at once, polled, bypassing the rings: for messages of the boot and of a stopped machine.
 * Understands %s %c %d (int) %u (unsigned) and %lx (with 0x). */
void console_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
