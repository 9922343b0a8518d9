/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `attacker`: its tasks of the divided core sleep or end; another core wakes and
 * activates them in the window of the other partition, as often as it can. */
#include "remote.h"

static uint64_t attacks;
static volatile unsigned refused;

void doze_job(intptr_t argument) {
    for (;;) {
        refused += takt_task_sleep() != TAKT_OK;
    }
}

void called_job(intptr_t argument) {
}

static void attack(void) {
    static const takt_id sleepers[] = {TAKT_TASK_doze_1, TAKT_TASK_doze_2, TAKT_TASK_doze_3,
                                       TAKT_TASK_doze_4};
    for (unsigned i = 0; i < sizeof sleepers / sizeof *sleepers; i++) {
        refused += takt_task_wakeup(sleepers[i]) != TAKT_OK;
        refused += takt_task_activate(sleepers[i]) != TAKT_OK;
    }
    refused += takt_task_activate(TAKT_TASK_called_1) != TAKT_OK;
    refused += takt_task_activate(TAKT_TASK_called_2) != TAKT_OK;
    attacks++;
}

void pester_job(intptr_t argument) {
    for (;;) {
        takt_time at = takt_time_now() % FRAME;
        if (at > BEGIN && at < WINDOW - BEGIN) {
            attack();
        } else {
            takt_buffer_write(TAKT_BUFFER_attacks, &attacks);
        }
    }
}
