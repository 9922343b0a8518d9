/* SPDX-License-Identifier: Apache-2.0 */
/* takt_task_self is right whatever happens to the caller. The argument of each task is the ID that
 * it must find. */
#include "until.h"

enum { MOVES = 200 };

static unsigned wrong, asked[8], handled, done;
static bool enough;

static void ask(takt_id expected) {
    for (int i = 0; i < 20; i++) {
        if (takt_task_self() != expected) {
            count_up(&wrong);
        }
    }
    count_up(&asked[expected]);
}

void asks_job(intptr_t self) {
    while (!__atomic_load_n(&enough, __ATOMIC_ACQUIRE)) {
        ask((takt_id)self);
    }
    count_up(&done);
}

void asks_at_times_job(intptr_t self) {
    while (!__atomic_load_n(&enough, __ATOMIC_ACQUIRE)) {
        ask((takt_id)self);
        takt_task_delay(70 * TAKT_MICROSECOND);
    }
    count_up(&done);
}

void asks_in_handler(intptr_t argument) {
    ask(TAKT_ID_NONE);
    count_up(&handled);
}

void main_job(intptr_t argument) {
    CHECK_IS(takt_task_self(), TAKT_TASK_main);
    CHECK_IS(TAKT_TASK_wanderer, 4);
    for (unsigned i = 0; i < MOVES; i++) {
        CHECK_IS(takt_task_migrate(TAKT_TASK_wanderer, i % 3 + 1), TAKT_OK);
        takt_task_delay(13 * TAKT_MICROSECOND);
    }
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    ask(TAKT_TASK_main);
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    ask(TAKT_TASK_main);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK);
    for (takt_id task = 2; task <= 5; task++) {
        wait_until_count(&asked[task], 1);
    }
    wait_until_count(&handled, 1);
    __atomic_store_n(&enough, true, __ATOMIC_RELEASE);
    wait_until_count(&done, 4);
    CHECK_IS(wrong, 0);
    check_end();
}
