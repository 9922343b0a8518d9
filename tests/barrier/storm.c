/* SPDX-License-Identifier: Apache-2.0 */
/* Five tasks of four cores meet again and again, all impatient: nobody goes on before all have
 * come to the same round, and all go on.
 *
 * For a machine whose harts really run at the same time, as semaphore/storm.c says. */
#include "until.h"

#ifndef ROUNDS /* tests/seeds has fewer */
#define ROUNDS 1500
#endif

enum { PARTICIPANTS = 5 };

static unsigned rounds[PARTICIPANTS]; /* the round that each task has reached */
static unsigned timeouts, wrong, finished;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Waits three times with a short timeout, then until all are there. */
static void pass(unsigned *random) {
    for (int i = 0; i < 3; i++) {
        if (takt_barrier_wait_for(TAKT_BARRIER_storm, next_random(random) % 4096) == TAKT_OK) {
            return;
        }
        count_up(&timeouts);
    }
    CHECK_IS(takt_barrier_wait(TAKT_BARRIER_storm), TAKT_OK);
}

void part_job(intptr_t who) {
    unsigned random = (unsigned)who + 1;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        __atomic_store_n(&rounds[who], round, __ATOMIC_RELEASE);
        pass(&random);
        for (int i = 0; i < PARTICIPANTS; i++) {
            unsigned other = read_count(&rounds[i]);
            if (other < round || other > round + 1) {
                count_up(&wrong);
            }
        }
    }
    count_up(&finished);
}

void main_job(intptr_t argument) {
    for (takt_id task = TAKT_TASK_part_0; task <= TAKT_TASK_part_4; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&finished, PARTICIPANTS);
    struct takt_barrier_state state;
    CHECK_IS(takt_barrier_state(TAKT_BARRIER_storm, &state), TAKT_OK);
    CHECK(state.arrived == 0 && state.first == 0);
    printf("%u rounds, %u timeouts\n", ROUNDS, timeouts);
    CHECK_IS(wrong, 0);
    CHECK(timeouts > 0);
    check_end();
}
