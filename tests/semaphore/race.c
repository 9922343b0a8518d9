/* SPDX-License-Identifier: Apache-2.0 */
/* A signal of another core against the timeout of the task that waits: whatever comes first, each
 * signal wakes the task or is counted, never both, never neither. */
#include "until.h"

#ifndef ROUNDS /* tests/seeds has fewer */
#define ROUNDS 3000
#define ENOUGH 30 /* of each outcome */
#endif

enum { SHIFT_STEP = 7 };

static takt_time meeting; /* when the wait ends and, `shift` turns later or so, the signal comes */
static unsigned shift = 500;
static unsigned signals; /* rounds in which the signal has been given */

void signaller_job(intptr_t argument) {
    while (takt_time_now() < meeting - 5 * TAKT_MICROSECOND) {
    }
    for (volatile unsigned i = 0; i < shift; i++) {
    }
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_race), TAKT_OK);
    count_up(&signals);
}

/* One meeting; true when the signal was first. */
static bool meet(unsigned round) {
    takt_time patience = 30 * TAKT_MICROSECOND;
    __atomic_store_n(&meeting, takt_time_now() + patience, __ATOMIC_RELEASE);
    CHECK_IS(takt_task_activate(TAKT_TASK_signaller), TAKT_OK);
    bool woken = takt_semaphore_wait_for(TAKT_SEMAPHORE_race, patience) == TAKT_OK;
    wait_until_count(&signals, round + 1);
    CHECK_IS(takt_semaphore_try(TAKT_SEMAPHORE_race), woken ? TAKT_E_TMOUT : TAKT_OK);
    CHECK_IS(takt_semaphore_try(TAKT_SEMAPHORE_race), TAKT_E_TMOUT);
    return woken;
}

/* Enough of each to say that both were tried. */
static bool tried(unsigned rounds, unsigned woken) {
    return rounds > 3 * ENOUGH && woken > ENOUGH && rounds - woken > ENOUGH;
}

/* Each outcome moves the next signal towards the other, so that all rounds are close ones. Ends
 * early on a slow machine. */
static void race(void) {
    unsigned woken = 0, round = 0;
    for (; round < ROUNDS; round++) {
        takt_time now = takt_time_now();
        if (now > PATIENCE || (now > 500 * TAKT_MILLISECOND && tried(round, woken))) {
            break;
        }
        if (meet(round)) {
            woken++;
            shift += SHIFT_STEP;
        } else {
            shift -= shift < SHIFT_STEP ? 0 : SHIFT_STEP;
        }
    }
    printf("%u woken, %u timed out\n", woken, round - woken);
    CHECK(tried(round, woken));
}

void main_job(intptr_t argument) {
    race();
    check_end();
}
