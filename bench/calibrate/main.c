/* SPDX-License-Identifier: Apache-2.0 */
/* Brings the kernel into each path whose time takt calibrate takes, on all cores at once: with
 * caches that other code and data have filled, and with warm ones. docs/design/calibration.md. */
#include <takt/takt.h>

#include "calibrate.h" /* CORES, CHURN (bytes), PERIOD, COLD */

/* Somebody far away, and everybody's somebody is another. */
static unsigned far_from(intptr_t core) {
    return ((unsigned)core + CORES / 2) % CORES;
}

/* All cores at the same moment. */
void first_step(intptr_t core) {
    takt_semaphore_signal(TAKT_SEMAPHORE_far_0 + far_from(core));
}

void second_step(intptr_t core) {
    takt_task_activate(TAKT_TASK_activated_0 + far_from(core));
}

/* The core that is asked has its caches full of other things. */
void asker_step(intptr_t core) {
    takt_task_activate(TAKT_TASK_activated_0 + far_from(core));
    takt_semaphore_signal(TAKT_SEMAPHORE_far_0 + far_from(core));
}

/* Wakes two of its own core. */
void third_step(intptr_t core) {
    takt_task_wakeup(TAKT_TASK_sleeper_0 + (unsigned)core);
    takt_semaphore_signal(TAKT_SEMAPHORE_near_0 + (unsigned)core);
}

void activated_job(intptr_t core) {
    (void)core;
}

void far_job(intptr_t core) {
    for (;;) {
        takt_semaphore_wait(TAKT_SEMAPHORE_far_0 + (unsigned)core);
    }
}

void near_job(intptr_t core) {
    for (;;) {
        takt_semaphore_wait_for(TAKT_SEMAPHORE_near_0 + (unsigned)core, PERIOD / 3);
    }
}

void sleeper_job(intptr_t core) {
    (void)core;
    for (;;) {
        takt_task_sleep();
    }
}

void napper_job(intptr_t core) {
    (void)core;
    for (;;) {
        takt_task_delay(PERIOD / 5);
    }
}

/* A line of code after another, as many as fill every instruction cache twice. */
__attribute__((noinline)) static void run_through(void) {
    __asm__ volatile(".rept %c0\n.balign 64\nj 1f\n.balign 64\n1:\n.endr" ::"i"(CODE / 64));
}

/* --- A device: the UART in its loop, where what is sent is received --------------------------- */

enum { DATA = 0, INTERRUPT_ENABLE = 1, MODEM_CONTROL = 4 };
enum { RECEIVED = 1, LOOP = 0x10 };

static volatile uint8_t *uart;

__attribute__((noinline)) static void raise(void) {
    uart[DATA] = 'x';
}

/* On the last core, whose place in a mesh is a corner. */
void on_device(intptr_t core) {
    (void)uart[DATA];
    takt_semaphore_signal(TAKT_SEMAPHORE_near_0 + (unsigned)core);
}

/* Far from that core, at moments that drift against all periods. */
void raiser_job(intptr_t argument) {
    (void)argument;
    volatile void *registers = 0;
    takt_interrupt_registers(TAKT_INTERRUPT_device, &registers);
    uart = registers;
    uart[MODEM_CONTROL] = LOOP;
    uart[INTERRUPT_ENABLE] = RECEIVED;
    for (;;) {
        takt_task_delay(PERIOD / 17);
        raise();
    }
}

/* Below all others: takes the caches, the TLBs and the floating-point registers; then leaves the
 * core idle. */
#pragma GCC diagnostic ignored "-Wframe-larger-than="
void churn_job(intptr_t core) {
    volatile uint64_t ground[CHURN / 8]; /* on the stack, whose size the description gives */
    volatile double number = 1;
    (void)core;
    while (takt_time_now() < COLD) {
        for (unsigned i = 0; i < CHURN / 8; i += 8) {
            ground[i]++;
            if (i % 4096 == 0) {
                run_through();
                number = number * 1.5;
            }
        }
    }
    for (;;) {
        takt_task_delay(PERIOD / 7);
    }
}
