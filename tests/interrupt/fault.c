/* SPDX-License-Identifier: Apache-2.0 */
/* Service routines that do something forbidden; the argument chooses what. */
#include "../until.h"
#include "devices.h"

const bool spurious_calls = true;

enum { FLOATS = 0, OVERFLOWS = 1 };

static volatile double number = 1.5;

__attribute__((noinline)) static int recurse(volatile int *depth) {
    volatile int frame[64] = {*depth + 1};
    return *depth < 1000000 ? recurse(frame) + frame[1] : 0;
}

void on_received(intptr_t what) {
    volatile int depth = 0;
    uart_lower();
    if (what == FLOATS) {
        number = number * 2;
    } else {
        recurse(&depth);
    }
}

void tests_job(intptr_t unused) {
    uart_open();
    uart_raise();
    takt_task_delay(TAKT_MILLISECOND);
    takt_system_shutdown(3);
}
