/* SPDX-License-Identifier: Apache-2.0 */
/* The time of an activation that a handler makes on its own core is the time at which the handler's
 * call was due, however late the call is. So a task whose separation is the handler's period is
 * never held back. And an activation that still waits for its separation at the end of the run is
 * not late. */
#include "until.h"

enum { CALLS = 30 };

static unsigned sampled, alarmed, off_time, drifting;

static void run_for(takt_time duration) {
    takt_time end = takt_time_now() + duration;
    while (takt_time_now() < end) {
    }
}

/* Delays the call of `sample`, by a different time whenever both are due together. */
void delay_it(intptr_t argument) {
    static unsigned calls;
    run_for((calls++ % 7 == 0 ? 60 : 10) * TAKT_MICROSECOND);
}

void sample(intptr_t argument) {
    CHECK_IS(takt_task_activate(TAKT_TASK_sampled), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_far), TAKT_OK);
}

void sampled_job(intptr_t argument) {
    off_time += takt_task_release_time() % (2 * TAKT_MILLISECOND) != 0;
    count_up(&sampled);
}

/* A task of another core is activated at the time of the call. */
void far_job(intptr_t argument) {
    drifting += takt_task_release_time() % (2 * TAKT_MILLISECOND) != 0;
}

/* A chain of alarms, a millisecond apart. */
static takt_time due;

void ring(intptr_t argument) {
    CHECK_IS(takt_task_activate(TAKT_TASK_alarmed), TAKT_OK);
    due += TAKT_MILLISECOND;
    takt_alarm_start_at(TAKT_ALARM_chain, due);
}

void alarmed_job(intptr_t argument) {
    off_time += takt_task_release_time() != due - TAKT_MILLISECOND;
    count_up(&alarmed);
}

/* An alarm for a past time is due when it is started. */
static takt_time asked, released;
static unsigned late;

void ring_late(intptr_t argument) {
    CHECK_IS(takt_task_activate(TAKT_TASK_late), TAKT_OK);
}

void late_job(intptr_t argument) {
    released = takt_task_release_time();
    count_up(&late);
}

static unsigned slow;

void slow_job(intptr_t argument) {
    count_up(&slow);
}

void main_job(intptr_t argument) {
    due = takt_time_now() / TAKT_MILLISECOND * TAKT_MILLISECOND + 3 * TAKT_MILLISECOND;
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_chain, due), TAKT_OK);
    wait_until_count(&sampled, CALLS);
    wait_until_count(&alarmed, CALLS);
    CHECK_IS(off_time, 0);
    CHECK(drifting > 0);

    asked = takt_time_now();
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_late, TAKT_MICROSECOND), TAKT_OK);
    wait_until_count(&late, 1);
    CHECK(released >= asked);

    /* One job runs, one activation is held back for its separation, two are queued: none is late.
     */
    for (unsigned i = 0; i < 4; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_slow), TAKT_OK);
        takt_task_delay(TAKT_MILLISECOND);
    }
    takt_task_delay(30 * TAKT_MILLISECOND);
    CHECK_IS(read_count(&slow), 1);
    check_end();
}
