/* SPDX-License-Identifier: Apache-2.0 */
/* Two tasks on idle cores wake each other, after pauses that sweep over the window in which the
 * other core goes idle. */
#include "check.h"

enum { ROUNDS = 100000, SWEEP = 512, PAIRS = 2 };

static unsigned rounds[2 * PAIRS];

static void spin(unsigned turns) {
    for (volatile unsigned i = 0; i < turns; i++) {
    }
}

void player_job(intptr_t self) {
    bool pings = self < PAIRS;
    takt_id other = TAKT_TASK_ping0 + (takt_id)(pings ? self + PAIRS : self - PAIRS);
    if (pings) {
        takt_task_delay(10 * TAKT_MILLISECOND);
        CHECK_IS(takt_task_wakeup(other), TAKT_OK);
    }
    for (unsigned round = 1; round <= ROUNDS; round++) {
        CHECK_IS(takt_task_sleep(), TAKT_OK);
        __atomic_store_n(&rounds[self], round, __ATOMIC_RELEASE);
        spin(round * (7 + 4 * (unsigned)self) % SWEEP);
        CHECK_IS(takt_task_wakeup(other), TAKT_OK);
    }
    takt_task_sleep();
}

static unsigned long played(void) {
    unsigned long sum = 0;
    for (int player = 0; player < 2 * PAIRS; player++) {
        sum += __atomic_load_n(&rounds[player], __ATOMIC_ACQUIRE);
    }
    return sum;
}

/* Ends when all players are done, or after ten looks without progress. */
void main_job(intptr_t argument) {
    unsigned long last = 0, all = 2ul * PAIRS * ROUNDS;
    for (int stalled = 0; stalled < 10 && last < all; stalled++) {
        takt_task_delay(200 * TAKT_MILLISECOND);
        if (played() != last) {
            last = played();
            stalled = 0;
        }
    }
    CHECK_IS((long)last, (long)all);
    check_end();
}
