/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `attacker`: calls without end, so that windows end inside the kernel. */
#include <takt/takt.h>

static volatile unsigned refused;

void attack_job(intptr_t argument) {
    for (;;) {
        refused += takt_semaphore_wait_for(TAKT_SEMAPHORE_door, 0) != TAKT_OK;
        refused += takt_semaphore_signal(TAKT_SEMAPHORE_door) != TAKT_OK;
        refused += takt_task_wakeup(TAKT_TASK_doze) != TAKT_OK;
    }
}

void doze_job(intptr_t argument) {
    for (;;) {
        refused += takt_task_sleep_for(130 * TAKT_MICROSECOND) != TAKT_OK;
    }
}
