/* SPDX-License-Identifier: Apache-2.0 */
/* Eight tasks of four cores signal and wait at random: no signal is lost and none counts twice.
 *
 * For a machine whose harts really run at the same time. QEMU's instruction clock gives each hart
 * up to 100 ms before the next has its turn, and a core that spins for a lock spends all of it. */
#include "until.h"

#ifndef TURNS /* tests/seeds has fewer */
#define TURNS 8000
#endif

enum { TASKS = 8 };

static unsigned signals, takes, timeouts, done;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Two of five turns signal, the others wait for up to 2 us. */
void storm_job(intptr_t seed) {
    unsigned random = (unsigned)seed;
    for (int turn = 0; turn < TURNS; turn++) {
        if (next_random(&random) % 5 < 2) {
            if (takt_semaphore_signal(TAKT_SEMAPHORE_storm) == TAKT_OK) {
                count_up(&signals);
            }
        } else if (takt_semaphore_wait_for(TAKT_SEMAPHORE_storm, next_random(&random) % 2048) ==
                   TAKT_OK) {
            count_up(&takes);
        } else {
            count_up(&timeouts);
        }
    }
    count_up(&done);
}

void main_job(intptr_t argument) {
    for (takt_id task = TAKT_TASK_storm_0; task <= TAKT_TASK_storm_7; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&done, TASKS);
    unsigned left = 0;
    while (takt_semaphore_try(TAKT_SEMAPHORE_storm) == TAKT_OK) {
        left++;
    }
    printf("%u signals, %u takes, %u timeouts, %u left\n", signals, takes, timeouts, left);
    CHECK_IS(3 + signals, takes + left);
    CHECK(timeouts > 0);
    check_end();
}
