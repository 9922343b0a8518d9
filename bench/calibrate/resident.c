/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the kernel execute the paths of a core that asks nothing of others, and of which they ask
 * nothing, beside neighbours that store in streams. All that such a core touches stays in its
 * second-level cache. docs/design/residency.md says what that is for, docs/design/calibration.md
 * how it is measured. */
#include <takt/takt.h>

#include "calibrate.h" /* GROUND (bytes), PERIOD, COLD; SPEAKER, RAISER: cores, or -1 */
#include "path.h"

/* --- A core that is measured ------------------------------------------------------------------ */

/* The jobs of the first three tasks are released together. */
void first_step(intptr_t core) {
    static const char text[TAKT_CONSOLE_PIECE] = "the longest piece\n";
    uint64_t line[8] = {0};
    (void)takt_buffer_write(TAKT_BUFFER_buffer_0 + (unsigned)core / 2, line);
    if (core == SPEAKER) {
        /* The console's core reads its own ring: no other core has the lines. */
        (void)takt_console_write(text, sizeof text);
    }
}

void second_step(intptr_t core) {
    uint64_t line[8];
    returned(PATH_buffer, takt_buffer_read(TAKT_BUFFER_buffer_0 + (unsigned)core / 2, line));
    takt_error result = takt_cpu_lock();
    takt_cpu_unlock();
    returned(PATH_cpu_lock, result);
    result = takt_dispatch_disable();
    takt_dispatch_enable();
    returned(PATH_dispatch_disable, result);
}

void third_step(intptr_t core) {
    (void)core;
    volatile double number = 1;
    number = number * 1.5;
    exercised(PATH_floating_point);
}

/* Misses its deadline, and is stopped while it uses floating point. */
void stopped_step(intptr_t core) {
    (void)core;
    volatile double number = 1;
    for (;;) {
        number = number * 1.5;
    }
}

/* Below all other tasks. Before and after it the core idles in between. */
void still_step(intptr_t core) {
    (void)core;
    volatile double number = 1;
    while (takt_time_now() < COLD) {
        number = number * 1.5;
    }
}

void on_cyclic(intptr_t argument) {
    (void)argument;
    exercised(PATH_cyclic);
}

/* A cyclic handler that is not called before the end of the run: its timer makes the heap deeper.
 */
void parked(intptr_t argument) {
    (void)argument;
}

void on_deadline(intptr_t task) {
    (void)task;
    exercised(PATH_deadline_handler);
}

void on_overrun(intptr_t task) {
    (void)task;
    exercised(PATH_budget);
}

/* --- A device: the UART in loopback mode, where it receives what it sends --------------------- */

enum { DATA = 0, INTERRUPT_ENABLE = 1, MODEM_CONTROL = 4 };
enum { RECEIVED = 1, LOOP = 0x10 };

/* In a line of its own, which nobody writes after the begin. */
static struct { volatile uint8_t *registers; } __attribute__((aligned(64))) uart;

__attribute__((noinline)) static void raise(void) {
    uart.registers[DATA] = 'x';
}

/* The service routine runs on the last core that is measured. */
void on_device(intptr_t core) {
    (void)core;
    (void)uart.registers[DATA];
}

static void open_uart(void) {
    volatile void *registers = 0;
    takt_interrupt_registers(TAKT_INTERRUPT_device, &registers);
    uart.registers = registers;
    uart.registers[MODEM_CONTROL] = LOOP;
    uart.registers[INTERRUPT_ENABLE] = RECEIVED;
}

/* --- A neighbour, which does not stay in its cache -------------------------------------------- */

/* The task is activated, and waits, so that the image has all of the kernel's marks. */
void asleep_job(intptr_t core) {
    (void)core;
    takt_error result = takt_semaphore_wait(TAKT_SEMAPHORE_never);
    (void)result;
}

/* Stores to line after line without waiting for any of them. */
#pragma GCC diagnostic ignored "-Wframe-larger-than="
void neighbour_job(intptr_t core) {
    uint64_t ground[GROUND / 8] __attribute__((aligned(64)));
    volatile uint64_t *lines = ground;
    takt_time next = 0;
    (void)takt_task_activate(TAKT_TASK_asleep);
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
