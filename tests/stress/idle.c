/* SPDX-License-Identifier: Apache-2.0 */
/* Two tasks on idle cores wake each other, after pauses that sweep over the window in which the
 * other core goes idle. */
#include "check.h"

enum { ROUNDS = 200000, SWEEP = 512 };

static unsigned rounds[2];

static void spin(unsigned turns) {
    for (volatile unsigned i = 0; i < turns; i++) {
    }
}

void player_job(intptr_t self) {
    static const takt_id ids[] = {TAKT_TASK_ping, TAKT_TASK_pong};
    takt_id other = ids[1 - self];
    if (self == 0) {
        takt_task_delay(10 * TAKT_MILLISECOND);
        CHECK_IS(takt_task_wakeup(other), TAKT_OK);
    }
    for (unsigned round = 1; round <= ROUNDS; round++) {
        CHECK_IS(takt_task_sleep(), TAKT_OK);
        __atomic_store_n(&rounds[self], round, __ATOMIC_RELEASE);
        spin(round * 7 % SWEEP);
        CHECK_IS(takt_task_wakeup(other), TAKT_OK);
    }
    takt_task_sleep();
}

static unsigned played(int player) {
    return __atomic_load_n(&rounds[player], __ATOMIC_ACQUIRE);
}

/* Both players done, or no progress for ten looks. */
void main_job(intptr_t argument) {
    unsigned last = 0;
    for (int stalled = 0; stalled < 10 && played(1) < ROUNDS; stalled++) {
        takt_task_delay(200 * TAKT_MILLISECOND);
        unsigned now = played(0) + played(1);
        if (now != last) {
            last = now;
            stalled = 0;
        }
    }
    CHECK_IS(played(0), ROUNDS);
    CHECK_IS(played(1), ROUNDS);
    check_end();
}
