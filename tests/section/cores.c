/* SPDX-License-Identifier: Apache-2.0 */
/* An event flag for which a task of each other core waits: the call that sets it examines all of
 * them in one section, and wakes each in a section of its own. */
#include "kind.h"
#include "watch.h"

/* On the board `virt64` examining a task of another core takes 0.2 us, and waking it 1 us. */
enum { QUICK = 3 * TAKT_MICROSECOND + CORES * (TAKT_MICROSECOND / 3) };

static unsigned woken;

void waiter_job(intptr_t core) {
    uint32_t found;
    while (takt_flag_wait(TAKT_FLAG_go, 1u, TAKT_FLAG_ANY, &found) == TAKT_OK) {
        count_up(&woken);
        takt_task_sleep();
    }
}

void main_job(intptr_t argument) {
    takt_task_delay(TAKT_MILLISECOND);
    count_up(&watching);
    for (unsigned round = 1; read_count(&watched) < 50; round++) {
        CHECK_IS(takt_flag_set(TAKT_FLAG_go, 1), TAKT_OK);
        wait_until_count(&woken, round * (CORES - 1));
        CHECK_IS(takt_flag_clear(TAKT_FLAG_go, 0), TAKT_OK);
        for (unsigned core = 1; core < CORES; core++) {
            CHECK_IS(takt_task_wakeup(TAKT_TASK_waiter_1 + core - 1), TAKT_OK);
        }
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    watch_check(QUICK);
    check_end();
}
