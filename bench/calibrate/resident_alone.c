/* SPDX-License-Identifier: Apache-2.0 */
/* The program for the paths of a resident core whose tasks do not wait. */
#include <takt/takt.h>

#include "calibrate.h" /* SPEAKER: a core, or -1; STEP: the distance of the cores measured */
#include "path.h"
#include "resident.h"

/* The jobs of the first three tasks are released together. */
void first_step(intptr_t core) {
    static const char text[TAKT_CONSOLE_PIECE] = "the longest piece\n";
    uint64_t line[8] = {0};
    (void)takt_buffer_write(TAKT_BUFFER_buffer_0 + (unsigned)core / STEP, line);
    if (core == SPEAKER) {
        /* The console's core reads its own ring: no other core has the lines. */
        (void)takt_console_write(text, sizeof text);
    }
}

void second_step(intptr_t core) {
    uint64_t line[8];
    returned(PATH_buffer, takt_buffer_read(TAKT_BUFFER_buffer_0 + (unsigned)core / STEP, line));
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

void on_cyclic(intptr_t core) {
    (void)core;
    exercised(PATH_cyclic);
}

void on_deadline(intptr_t task) {
    (void)task;
    exercised(PATH_deadline_handler);
}

void on_overrun(intptr_t task) {
    (void)task;
    exercised(PATH_budget);
}

void device_interrupts(intptr_t core) {
    (void)core;
}

/* The task is activated, and waits, so that the image has all of the kernel's marks. */
void asleep_job(intptr_t core) {
    (void)core;
    takt_error result = takt_semaphore_wait(TAKT_SEMAPHORE_never);
    (void)result;
}

void neighbour_begins(void) {
    (void)takt_task_activate(TAKT_TASK_asleep);
}
