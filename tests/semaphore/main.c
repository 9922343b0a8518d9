/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of semaphores: errors, counts, timeouts, and which task is woken first. */
#include "settled.h"

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_SEMAPHORES + 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_semaphore_signal(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_semaphore_wait(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_semaphore_try(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_semaphore_wait_for(wrong[i], 0), TAKT_E_ID);
        CHECK_IS(takt_semaphore_wait_for(wrong[i], TAKT_SECOND), TAKT_E_ID);
    }
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_counted, -1), TAKT_E_PAR);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_counted, INT64_MIN), TAKT_E_PAR);
}

static void take_all(takt_id semaphore, int expected) {
    for (int i = 0; i < expected; i++) {
        CHECK_IS(takt_semaphore_try(semaphore), TAKT_OK);
    }
    CHECK_IS(takt_semaphore_try(semaphore), TAKT_E_TMOUT);
}

static void counts(void) {
    take_all(TAKT_SEMAPHORE_counted, 2);
    take_all(TAKT_SEMAPHORE_empty, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_counted), TAKT_OK);
    }
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_counted), TAKT_E_QOVR);
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_counted), TAKT_OK);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_counted, 0), TAKT_OK);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_counted, INT64_MAX), TAKT_OK);
    take_all(TAKT_SEMAPHORE_counted, 0);

    for (int i = 0; i < 255; i++) { /* the default maximum */
        CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_empty), TAKT_OK);
    }
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_empty), TAKT_E_QOVR);
    take_all(TAKT_SEMAPHORE_empty, 255);
}

static void timeouts(void) {
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_empty, 0), TAKT_E_TMOUT);
    for (takt_time timeout = 1; timeout < 5 * TAKT_MILLISECOND; timeout *= 7) {
        takt_time before = takt_time_now();
        CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_empty, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
    }
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_empty), TAKT_OK); /* no task waits any more */
    take_all(TAKT_SEMAPHORE_empty, 1);
}

static unsigned above_steps;

void above_job(intptr_t argument) {
    count_up(&above_steps);
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_empty), TAKT_OK);
    count_up(&above_steps);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_empty, INT64_MAX), TAKT_OK);
    count_up(&above_steps);
}

/* A signal that wakes a higher task of this core returns after that task has run. */
static void same_core(void) {
    CHECK_IS(takt_task_activate(TAKT_TASK_above), TAKT_OK);
    CHECK_IS(above_steps, 1);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_empty), TAKT_OK);
    CHECK_IS(above_steps, 2);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_empty), TAKT_OK);
    CHECK_IS(above_steps, 3);
    take_all(TAKT_SEMAPHORE_empty, 0); /* handed over, so the count stays 0 */
}

/* --- Which task is first --------------------------------------------------------------------- */

enum { LOW, HIGH, MIDDLE, MIDDLE_TOO, LINE };

static const takt_id line_tasks[LINE] = {TAKT_TASK_low, TAKT_TASK_high, TAKT_TASK_middle,
                                         TAKT_TASK_middle_too};
static takt_id line_semaphore;
static int impatient; /* the task that waits only for 2 ms */
static unsigned served, gave_up;
static int serving_order[LINE];

void line_job(intptr_t which) {
    if (which == impatient) {
        CHECK_IS(takt_semaphore_wait_for(line_semaphore, 2 * TAKT_MILLISECOND), TAKT_E_TMOUT);
        count_up(&gave_up);
        return;
    }
    CHECK_IS(takt_semaphore_wait(line_semaphore), TAKT_OK);
    serving_order[read_count(&served)] = (int)which; /* one task is served at a time */
    count_up(&served);
}

/* Lets the four tasks wait, one after the other. */
static void line_up(takt_id semaphore, int who_is_impatient) {
    line_semaphore = semaphore;
    impatient = who_is_impatient;
    served = gave_up = 0;
    for (unsigned i = 0; i < LINE; i++) {
        run_until_it_waits(line_tasks[i]);
    }
}

static void serve(const int *expected, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        CHECK_IS(takt_semaphore_signal(line_semaphore), TAKT_OK);
        wait_until_count(&served, i + 1);
        CHECK_IS(serving_order[i], expected[i]);
    }
    take_all(line_semaphore, 0);
}

static void order(void) {
    line_up(TAKT_SEMAPHORE_fifo, -1);
    serve((int[]){LOW, HIGH, MIDDLE, MIDDLE_TOO}, 4);
    line_up(TAKT_SEMAPHORE_priority, -1);
    serve((int[]){HIGH, MIDDLE, MIDDLE_TOO, LOW}, 4);

    /* A task that gives up leaves the queue intact: from its middle, its head, its end. */
    for (int who = 0; who < LINE; who++) {
        int others[LINE - 1], count = 0;
        for (int i = 0; i < LINE; i++) {
            if (i != who) {
                others[count++] = i;
            }
        }
        line_up(TAKT_SEMAPHORE_fifo, who);
        wait_until_count(&gave_up, 1);
        serve(others, LINE - 1);
    }
}

void main_job(intptr_t argument) {
    errors();
    counts();
    timeouts();
    same_core();
    order();
    check_end();
}
