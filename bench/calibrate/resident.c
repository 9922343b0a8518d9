/* SPDX-License-Identifier: Apache-2.0 */
/* Is a part of all programs that measure resident cores: makes the kernel execute the paths of such
 * cores, beside neighbours that store in streams unless all cores are measured. All that a measured
 * core touches stays in its second-level cache. docs/design/residency.md says what that is for,
 * docs/design/calibration.md how it is measured. */
#include <takt/takt.h>

#include "calibrate.h" /* GROUND (bytes), PERIOD, COLD; RAISER: a core, or -1 */
#include "path.h"
#include "resident.h"

/* Below all other tasks. Before and after it the core idles in between. */
void still_step(intptr_t core) {
    (void)core;
    volatile double number = 1;
    while (takt_time_now() < COLD) {
        number = number * 1.5;
    }
}

/* A cyclic handler that is not called before the end of the run: its timer makes the heap deeper.
 */
void parked(intptr_t argument) {
    (void)argument;
}

/* --- A device: the UART in loopback mode, where it receives what it sends --------------------- */

enum { DATA = 0, INTERRUPT_ENABLE = 1, MODEM_CONTROL = 4 };
enum { RECEIVED = 1, LOOP = 0x10 };

/* In a line of its own, which nobody writes after the begin. */
static struct { volatile uint8_t *registers; } __attribute__((aligned(64))) uart;

__attribute__((noinline, retain, used)) static void raise(void) {
    uart.registers[DATA] = 'x';
}

/* The service routine runs on the last core that is measured. */
void on_device(intptr_t core) {
    (void)uart.registers[DATA];
    device_interrupts(core);
}

static void open_uart(void) {
    volatile void *registers = 0;
    takt_interrupt_registers(TAKT_INTERRUPT_device, &registers);
    uart.registers = registers;
    uart.registers[MODEM_CONTROL] = LOOP;
    uart.registers[INTERRUPT_ENABLE] = RECEIVED;
}

/* --- A neighbour, which does not stay in its cache -------------------------------------------- */

/* Stores to line after line without waiting for any of them. */
#pragma GCC diagnostic ignored "-Wframe-larger-than="
void neighbour_job(intptr_t core) {
    uint64_t ground[GROUND / 8] __attribute__((aligned(64)));
    volatile uint64_t *lines = ground;
    takt_time next = 0;
    neighbour_begins();
    if (core == RAISER) {
        open_uart();
    }
    for (unsigned line = 0;; line = (line + 1) % (GROUND / 64)) {
        lines[line * 8] = line;
        if (core == RAISER && takt_time_now() >= next) {
            raise();
            next = takt_time_now() + PERIOD / 17;
        }
    }
}
