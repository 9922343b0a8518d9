/* SPDX-License-Identifier: Apache-2.0 */
/* The program for the paths of resident cores that activate tasks of each other. Each core is
 * measured. */
#include <takt/takt.h>

#include "calibrate.h" /* CORES; TASKS: the tasks of each core */
#include "path.h"
#include "resident.h"

/* Asks the core half the system away at a moment that wanders through the periods of its tasks. The
 * second activation of a job waits for the end of the first, and is then held back. */
void asker_step(intptr_t core) {
    takt_id other = (takt_id)(TAKT_TASK_activated_0 + (core + CORES / 2) % CORES * TASKS);
    returned(PATH_remote_activations, takt_task_activate(other));
    (void)takt_task_activate(other);
}

void activated_step(intptr_t core) {
    (void)core;
    volatile double number = 1;
    number = number * 1.5;
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
}

void on_deadline(intptr_t task) {
    (void)task;
}

void on_overrun(intptr_t task) {
    (void)task;
}

void device_interrupts(intptr_t core) {
    (void)core;
}

/* The task waits, so that the image has all of the kernel's marks. */
void asleep_job(intptr_t core) {
    (void)core;
    takt_error result = takt_semaphore_wait(TAKT_SEMAPHORE_never);
    (void)result;
}

void neighbour_begins(void) {
}
