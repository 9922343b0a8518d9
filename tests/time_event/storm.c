/* SPDX-License-Identifier: Apache-2.0 */
/* Four cores start and stop the same cyclic handler and alarm of one core at the same time: there
 * are never more calls than periods, and none after all have stopped it. */
#include "until.h"

enum { CORES = 4, ROUNDS = 60 };

static unsigned calls[2], finished;

void storm_handler(intptr_t which) {
    count_up(&calls[which]);
}

void stormer_job(intptr_t core) {
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_IS(takt_cyclic_start(TAKT_CYCLIC_storm), TAKT_OK);
        takt_task_delay(20 * TAKT_MICROSECOND + 7 * core);
        CHECK_IS(takt_alarm_start(TAKT_ALARM_storm, 10 * TAKT_MICROSECOND + core), TAKT_OK);
        if ((i + core) % 3 == 0) {
            CHECK_IS(takt_alarm_stop(TAKT_ALARM_storm), TAKT_OK);
        }
        takt_task_delay(60 * TAKT_MICROSECOND - 5 * core);
        CHECK_IS(takt_cyclic_stop(TAKT_CYCLIC_storm), TAKT_OK);
    }
    CHECK_IS(takt_alarm_stop(TAKT_ALARM_storm), TAKT_OK);
    count_up(&finished);
}

void main_job(intptr_t argument) {
    takt_time before = takt_time_now();
    for (takt_id task = TAKT_TASK_stormer_0; task <= TAKT_TASK_stormer_3; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&finished, CORES);
    unsigned cyclic = read_count(&calls[0]), alarm = read_count(&calls[1]);
    CHECK(cyclic > 10 && cyclic <= (takt_time_now() - before) / (50 * TAKT_MICROSECOND) + 2);
    CHECK(alarm > 10);
    takt_task_delay(2 * TAKT_MILLISECOND);
    CHECK(read_count(&calls[0]) <= cyclic + 1); /* one call may have begun before the last stop */
    CHECK(read_count(&calls[1]) <= alarm + 1);
    /* The handler can still be started. */
    cyclic = read_count(&calls[0]);
    CHECK_IS(takt_cyclic_start(TAKT_CYCLIC_storm), TAKT_OK);
    CHECK_IS(takt_alarm_start(TAKT_ALARM_storm, 1), TAKT_OK);
    wait_until_count(&calls[0], cyclic + 3);
    wait_until_count(&calls[1], alarm + 1);
    check_end();
}
