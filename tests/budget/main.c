/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets and deadlines: which execution counts, what happens to a job that overruns, and when the
 * deadline handler is called. All watched tasks are on core 1, `main` is on core 0. */
#include "until.h"

static const takt_time BUDGET = 2 * TAKT_MILLISECOND;

static unsigned begun, ended;
static unsigned overruns, misses;
static takt_id overrun_task, missed_task;
static takt_time overrun_at, missed_at, job_release;
static unsigned outside; /* the number of calls outside of interrupt context */

void overrun_handler(intptr_t task) {
    overrun_at = takt_time_now();
    overrun_task = (takt_id)task;
    outside += takt_task_self() != TAKT_ID_NONE || takt_task_sleep() != TAKT_E_CTX;
    count_up(&overruns);
}

void deadline_handler(intptr_t task) {
    missed_at = takt_time_now();
    missed_task = (takt_id)task;
    outside += takt_task_self() != TAKT_ID_NONE || takt_task_sleep() != TAKT_E_CTX;
    count_up(&misses);
}

/* Lets time pass while this task runs. */
static void run_for(takt_time duration) {
    takt_time end = takt_time_now() + duration;
    while (takt_time_now() < end) {
    }
}

static enum { SHORT, LONG, INTERRUPTED, WAITING, LOCKED, EVER } habit;
static takt_time job_began;

void watched_job(intptr_t argument) {
    job_began = takt_time_now();
    job_release = takt_task_release_time();
    count_up(&begun);
    switch (habit) {
    case SHORT:
        run_for(BUDGET / 4);
        break;
    case LONG:
        run_for(BUDGET + BUDGET / 2);
        break;
    case INTERRUPTED: /* a higher task runs for longer than the budget, in the middle */
        run_for(BUDGET / 4);
        takt_task_activate(TAKT_TASK_above);
        run_for(BUDGET / 4);
        break;
    case WAITING:
        run_for(BUDGET / 4);
        takt_task_delay(2 * BUDGET);
        run_for(BUDGET / 4);
        break;
    case LOCKED:
        CHECK_IS(takt_dispatch_disable(), TAKT_OK);
        run_for(2 * BUDGET);
        count_up(&ended);
        takt_dispatch_enable();
        break;
    case EVER:
        for (;;) {
            run_for(BUDGET);
        }
    }
    count_up(&ended);
}

void above_job(intptr_t argument) {
    run_for(2 * BUDGET);
}

static unsigned below_ran;

void below_job(intptr_t argument) {
    count_up(&below_ran);
}

static void begin(takt_id task, int what) {
    habit = what;
    begun = ended = overruns = misses = below_ran = 0;
    CHECK_IS(takt_task_activate(task), TAKT_OK);
    wait_until_count(&begun, 1);
    CHECK_IS(takt_task_activate(TAKT_TASK_below), TAKT_OK);
}

static void expect(unsigned wanted_overruns, unsigned wanted_ends) {
    CHECK_IS(read_count(&overruns), wanted_overruns);
    CHECK_IS(read_count(&ended), wanted_ends);
    CHECK_IS(read_count(&begun), 1);
}

/* Tests which execution counts, and that each overrun is reported once. */
static void reports(void) {
    const int within[] = {SHORT, INTERRUPTED, WAITING};
    for (unsigned i = 0; i < sizeof within / sizeof *within; i++) {
        begin(TAKT_TASK_reported, within[i]);
        wait_until_count(&ended, 1);
        expect(0, 1);
    }
    begin(TAKT_TASK_reported, LONG);
    wait_until_count(&ended, 1);
    expect(1, 1);
    CHECK_IS(overrun_task, TAKT_TASK_reported);
    CHECK(overrun_at - job_began >= BUDGET - 10 * TAKT_MICROSECOND);
    CHECK(overrun_at - job_began < BUDGET + BUDGET / 2);
    printf("overrun: %ld ns after the budget\n", (long)(overrun_at - job_began - BUDGET));
}

static void stops(void) {
    begin(TAKT_TASK_stopped, SHORT);
    wait_until_count(&ended, 1);
    expect(0, 1);
    begin(TAKT_TASK_stopped, EVER);
    wait_until_count(&below_ran, 1);
    expect(1, 0);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_stopped), TAKT_E_OBJ); /* the task has no job */
    /* The queued activation is kept, and runs as a whole job. */
    begin(TAKT_TASK_stopped, EVER);
    CHECK_IS(takt_task_activate(TAKT_TASK_stopped), TAKT_OK);
    habit = SHORT;
    wait_until_count(&begun, 2);
    wait_until_count(&below_ran, 1);
    CHECK_IS(read_count(&overruns), 1);
    CHECK_IS(read_count(&ended), 1);
    /* With dispatch disabled the job ends when it enables dispatch. */
    begin(TAKT_TASK_stopped, LOCKED);
    wait_until_count(&below_ran, 1);
    expect(1, 1);
    begin(TAKT_TASK_stopped, SHORT);
    wait_until_count(&ended, 1);
    expect(0, 1);
}

/* A periodic task that always overruns is stopped each time, and released again. */
static unsigned periods, past;

void periodic_job(intptr_t argument) {
    count_up(&periods);
    if (read_count(&periods) <= 5) {
        run_for(TAKT_SECOND);
        count_up(&past);
    }
}

static void stops_each_period(void) {
    wait_until_count(&periods, 6);
    CHECK_IS(read_count(&past), 0);
}

/* The task's deadline is 3 ms. */
static void deadlines(void) {
    begin(TAKT_TASK_late, SHORT);
    wait_until_count(&ended, 1);
    takt_task_delay(4 * TAKT_MILLISECOND);
    CHECK_IS(read_count(&misses), 0);
    const int after[] = {INTERRUPTED, WAITING, LOCKED};
    for (unsigned i = 0; i < sizeof after / sizeof *after; i++) {
        begin(TAKT_TASK_late, after[i]);
        wait_until_count(&ended, 1);
        CHECK_IS(read_count(&misses), 1);
        CHECK_IS(missed_task, TAKT_TASK_late);
        CHECK(missed_at > job_release + 3 * TAKT_MILLISECOND);
        takt_task_delay(TAKT_MILLISECOND);
    }
    /* The deadline of a job passes while it waits for the previous job: the handler is called when
     * it begins. */
    begin(TAKT_TASK_late, INTERRUPTED);
    CHECK_IS(takt_task_activate(TAKT_TASK_late), TAKT_OK);
    wait_until_count(&ended, 2);
    CHECK_IS(read_count(&misses), 2);
    /* A job that another task ends does not miss its deadline. */
    begin(TAKT_TASK_late, WAITING);
    CHECK_IS(takt_task_terminate(TAKT_TASK_late), TAKT_OK);
    takt_task_delay(4 * TAKT_MILLISECOND);
    CHECK_IS(read_count(&misses), 0);
}

void main_job(intptr_t argument) {
    stops_each_period();
    reports();
    stops();
    deadlines();
    CHECK_IS(outside, 0);
    check_end();
}
