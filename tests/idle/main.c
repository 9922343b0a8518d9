/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the idle time of another core, which becomes idle and busy all the time: it never goes
 * backwards, wherever the call that reads it is interrupted. */
#include "check.h"

enum { READS = 20000 };

static takt_time idle_of(unsigned core) {
    takt_time idle = -1;
    CHECK_IS(takt_core_idle_time(core, &idle), TAKT_OK);
    return idle;
}

static void run_for(takt_time duration) {
    takt_time end = takt_time_now() + duration;
    while (takt_time_now() < end) {
    }
}

void brief_job(intptr_t argument) {
    run_for(TAKT_MICROSECOND);
}

/* Interrupts the calls at any step. */
void disturb(intptr_t argument) {
    run_for(2 * TAKT_MICROSECOND);
}

void main_job(intptr_t argument) {
    unsigned backwards = 0, grown = 0;
    takt_time before = idle_of(1), begin = takt_time_now(), first = before;
    for (unsigned i = 0; i < READS; i++) {
        takt_time idle = idle_of(1);
        backwards += idle < before;
        grown += idle > before;
        before = idle;
    }
    CHECK_IS(backwards, 0);
    CHECK(grown > READS / 100);
    CHECK(before - first <= takt_time_now() - begin);
    check_end();
}
