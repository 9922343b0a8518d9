/* SPDX-License-Identifier: Apache-2.0 */
/* A signal from another core races with the timeout of the waiting task: whichever comes first,
 * each signal either wakes the task or is counted, never both and never neither. */
#include "until.h"

#ifndef ROUNDS /* tests/seeds has fewer */
#define ROUNDS 3000
#define ENOUGH 30 /* rounds with each outcome */
#endif

enum { SHIFT_STEP = 7, LONGEST_STEP = SHIFT_STEP << 8 };

static takt_time
    meeting; /* the time at which the wait ends; the signal comes about `shift` turns later */
static unsigned shift = 500, step = SHIFT_STEP;
static unsigned signals; /* the rounds in which the signal has been given */

void signaller_job(intptr_t argument) {
    while (takt_time_now() < meeting - 5 * TAKT_MICROSECOND) {
    }
    for (volatile unsigned i = 0; i < shift; i++) {
    }
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_race), TAKT_OK);
    count_up(&signals);
}

/* One race; returns true if the signal came first. */
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

/* Whether each outcome has happened often enough. */
static bool tried(unsigned rounds, unsigned woken) {
    return rounds > 3 * ENOUGH && woken > ENOUGH && rounds - woken > ENOUGH;
}

/* Shifts the next signal towards the other outcome. The step doubles while the outcome stays the
 * same, so that a machine of any speed gets to where the two meet in a few rounds. */
static void shift_signal(bool woken) {
    static bool before;
    step = woken != before ? SHIFT_STEP : step < LONGEST_STEP ? 2 * step : step;
    before = woken;
    shift = woken ? shift + step : shift - (shift < step ? shift : step);
}

/* All races are close, as each outcome shifts the next signal. Ends early on a slow machine. */
static void race(void) {
    unsigned woken = 0, round = 0;
    for (; round < ROUNDS; round++) {
        takt_time now = takt_time_now();
        if (now > PATIENCE || (now > 500 * TAKT_MILLISECOND && tried(round, woken))) {
            break;
        }
        bool signalled = meet(round);
        woken += signalled;
        shift_signal(signalled);
    }
    printf("%u woken, %u timed out\n", woken, round - woken);
    CHECK(tried(round, woken));
}

void main_job(intptr_t argument) {
    race();
    check_end();
}
