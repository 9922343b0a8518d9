/* SPDX-License-Identifier: Apache-2.0 */
/* A routine that does not lower its device's line is called again, until it lowers the line. */
#include "../until.h"
#include "devices.h"

#define CALLS 5

static unsigned calls;

void on_second(intptr_t unused) {
    if (calls == CALLS - 1) {
        second_lower();
    }
    count_up(&calls);
}

void tests_job(intptr_t unused) {
    second_open();
    second_raise();
    wait_until_count(&calls, CALLS);
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(calls, CALLS);
    check_end();
}
