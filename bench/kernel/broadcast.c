/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how long takt_flag_set takes that wakes a task on each core, until it returns and until
 * the last of the tasks is back. Core 0 sets; its own task is the lowest of the core. */
#include "bench.h"

#include <takt/flag.h>

enum { ROUNDS = 20, WARM = 4, CORES_MAX = 128 };

static volatile uint64_t woken[CORES_MAX][8]; /* a line each: the cycle of the latest wake-up */

void listener_job(intptr_t core) {
    for (;;) {
        uint32_t found;
        takt_assert(takt_flag_wait(TAKT_FLAG_all, 1, TAKT_FLAG_ANY, &found) == TAKT_OK);
        woken[core][0] = cycles();
        takt_task_sleep(); /* until the next round */
    }
}

static uint64_t least[2] = {UINT64_MAX, UINT64_MAX}, sum[2], most[2];

static void note(unsigned what, uint64_t cycles) {
    least[what] = cycles < least[what] ? cycles : least[what];
    most[what] = cycles > most[what] ? cycles : most[what];
    sum[what] += cycles;
}

void main_job(intptr_t cores) {
    takt_task_delay(5 * TAKT_MILLISECOND);
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        uint64_t start = cycles();
        takt_assert(takt_flag_set(TAKT_FLAG_all, 1) == TAKT_OK);
        uint64_t end = cycles(), last = 0;
        takt_task_delay(TAKT_MILLISECOND);
        for (intptr_t core = 0; core < cores; core++) {
            takt_assert(woken[core][0] > start);
            last = woken[core][0] > last ? woken[core][0] : last;
        }
        if (round >= WARM) {
            note(0, end - start);
            note(1, last - start);
        }
        takt_assert(takt_flag_clear(TAKT_FLAG_all, 0) == TAKT_OK);
        for (intptr_t core = 0; core < cores; core++) {
            takt_task_wakeup(TAKT_TASK_listener_0 + (unsigned)core);
        }
        takt_task_delay(TAKT_MILLISECOND);
    }
    printf("bench,flag_set_call,%lu,%lu,%lu\n", least[0], sum[0] / ROUNDS, most[0]);
    printf("bench,flag_set_last,%lu,%lu,%lu\n", least[1], sum[1] / ROUNDS, most[1]);
    takt_system_shutdown(0);
}
