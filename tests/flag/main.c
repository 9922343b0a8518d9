/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of event flags: errors, bits, timeouts, which tasks a set wakes and in which
 * order. */
#include "settled.h"

static const takt_id plain = TAKT_FLAG_plain, clearing = TAKT_FLAG_clearing;

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_FLAGS + 1, UINT32_MAX};
    uint32_t found;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_flag_set(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_flag_clear(wrong[i], 0), TAKT_E_ID);
        CHECK_IS(takt_flag_wait(wrong[i], 1, TAKT_FLAG_ANY, &found), TAKT_E_ID);
        CHECK_IS(takt_flag_try(wrong[i], 1, TAKT_FLAG_ANY, &found), TAKT_E_ID);
        CHECK_IS(takt_flag_wait_for(wrong[i], 1, TAKT_FLAG_ANY, &found, 0), TAKT_E_ID);
    }
    CHECK_IS(takt_flag_try(plain, 0, TAKT_FLAG_ANY, &found), TAKT_E_PAR);
    CHECK_IS(takt_flag_wait(plain, 0, TAKT_FLAG_ALL, &found), TAKT_E_PAR);
    CHECK_IS(takt_flag_wait(plain, 1, 2, &found), TAKT_E_PAR);
    CHECK_IS(takt_flag_wait(plain, 1, -1, &found), TAKT_E_PAR);
    CHECK_IS(takt_flag_wait(plain, 1, TAKT_FLAG_ANY, 0), TAKT_E_PAR);
    CHECK_IS(takt_flag_wait_for(plain, 1, TAKT_FLAG_ANY, &found, -1), TAKT_E_PAR);
    CHECK_IS(takt_flag_wait_for(plain, 1, TAKT_FLAG_ANY, &found, INT64_MIN), TAKT_E_PAR);
}

static void found_is(takt_id flag, uint32_t pattern, int mode, uint32_t expected) {
    uint32_t found = ~expected;
    CHECK_IS(takt_flag_try(flag, pattern, mode, &found), TAKT_OK);
    CHECK_IS(found, expected);
}

static void nothing(takt_id flag, uint32_t pattern, int mode) {
    uint32_t found = 0x5a5a;
    CHECK_IS(takt_flag_try(flag, pattern, mode, &found), TAKT_E_TMOUT);
    CHECK_IS(found, 0x5a5a);
}

static void bits(void) {
    found_is(plain, ~0u, TAKT_FLAG_ANY, 0x80000001); /* the described bits */
    found_is(plain, 0x80000001, TAKT_FLAG_ALL, 0x80000001);
    nothing(plain, 3, TAKT_FLAG_ALL);
    nothing(plain, 6, TAKT_FLAG_ANY);
    CHECK_IS(takt_flag_set(plain, 6), TAKT_OK);
    found_is(plain, 3, TAKT_FLAG_ALL, 0x80000007);
    CHECK_IS(takt_flag_set(plain, 0), TAKT_OK);
    CHECK_IS(takt_flag_clear(plain, 0xf), TAKT_OK); /* what is kept */
    found_is(plain, 7, TAKT_FLAG_ALL, 7);
    CHECK_IS(takt_flag_clear(plain, 0), TAKT_OK);
    nothing(plain, ~0u, TAKT_FLAG_ANY);

    nothing(clearing, ~0u, TAKT_FLAG_ANY);
    CHECK_IS(takt_flag_set(clearing, 5), TAKT_OK);
    nothing(clearing, 7, TAKT_FLAG_ALL); /* without success, so nothing is cleared */
    found_is(clearing, 4, TAKT_FLAG_ALL, 5);
    nothing(clearing, 5, TAKT_FLAG_ANY); /* all of it is */
}

static void timeouts(void) {
    uint32_t found = 0x5a5a;
    for (takt_time timeout = 1; timeout < 5 * TAKT_MILLISECOND; timeout *= 7) {
        takt_time before = takt_time_now();
        CHECK_IS(takt_flag_wait_for(plain, 1, TAKT_FLAG_ALL, &found, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
    }
    CHECK_IS(found, 0x5a5a);
    CHECK_IS(takt_flag_set(plain, 1), TAKT_OK); /* no task waits any more */
    CHECK_IS(takt_flag_wait_for(plain, 1, TAKT_FLAG_ALL, &found, INT64_MAX), TAKT_OK);
    CHECK_IS(found, 1);
    CHECK_IS(takt_flag_wait(plain, 1, TAKT_FLAG_ANY, &found), TAKT_OK);
    CHECK_IS(takt_flag_clear(plain, 0), TAKT_OK);
}

/* --- Tasks that wait ------------------------------------------------------------------------ */

enum { LOW, HIGH, MIDDLE, ABOVE, TASKS };

static const takt_id tasks[TASKS] = {TAKT_TASK_low, TAKT_TASK_high, TAKT_TASK_middle,
                                     TAKT_TASK_above};
static struct {
    takt_id flag;
    uint32_t pattern, found;
    int mode;
    takt_time timeout;
    takt_error result;
} wishes[TASKS];
static unsigned done;

void wish_job(intptr_t who) {
    wishes[who].result = takt_flag_wait_for(wishes[who].flag, wishes[who].pattern, wishes[who].mode,
                                            &wishes[who].found, wishes[who].timeout);
    count_up(&done);
}

/* Lets a task wait; returns when it does. */
static void wish(int who, takt_id flag, uint32_t pattern, int mode, takt_time timeout) {
    wishes[who].flag = flag, wishes[who].pattern = pattern, wishes[who].mode = mode;
    wishes[who].timeout = timeout, wishes[who].found = 0, wishes[who].result = 1;
    run_until_it_waits(tasks[who]);
}

static void granted(int who, uint32_t found) {
    CHECK_IS(wishes[who].result, TAKT_OK);
    CHECK_IS(wishes[who].found, found);
}

/* A set that fulfils the condition of a higher task of this core returns after that task has run.
 */
static void same_core(void) {
    done = 0;
    wish(ABOVE, plain, 3, TAKT_FLAG_ALL, TAKT_FOR_EVER);
    CHECK_IS(takt_flag_set(plain, 1), TAKT_OK);
    CHECK_IS(read_count(&done), 0);
    CHECK_IS(takt_flag_set(plain, 6), TAKT_OK);
    CHECK_IS(read_count(&done), 1);
    granted(ABOVE, 7);
    CHECK_IS(takt_flag_clear(plain, 0), TAKT_OK);
}

/* One set wakes all tasks whose condition is fulfilled, and no other. */
static void wakes_all(void) {
    done = 0;
    wish(LOW, plain, 1, TAKT_FLAG_ANY, TAKT_FOR_EVER);
    wish(HIGH, plain, 6, TAKT_FLAG_ALL, TAKT_FOR_EVER);
    wish(MIDDLE, plain, 24, TAKT_FLAG_ANY, TAKT_FOR_EVER);
    wish(ABOVE, plain, 3, TAKT_FLAG_ALL, TAKT_FOR_EVER);
    CHECK_IS(takt_flag_set(plain, 3), TAKT_OK);
    wait_until_count(&done, 2);
    granted(LOW, 3);
    granted(ABOVE, 3);
    CHECK_IS(takt_flag_set(plain, 12), TAKT_OK);
    wait_until_count(&done, 4);
    granted(HIGH, 15);
    granted(MIDDLE, 15);
    CHECK_IS(takt_flag_clear(plain, 0), TAKT_OK);
}

/* A flag that clears: the first task whose condition is fulfilled takes all bits. */
static void clears(takt_id flag, const int *order) {
    done = 0;
    wish(LOW, flag, 1, TAKT_FLAG_ANY, TAKT_FOR_EVER);
    wish(HIGH, flag, 1, TAKT_FLAG_ALL, TAKT_FOR_EVER);
    wish(MIDDLE, flag, 3, TAKT_FLAG_ANY, TAKT_FOR_EVER);
    wish(ABOVE, flag, 4, TAKT_FLAG_ANY, TAKT_FOR_EVER);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(takt_flag_set(flag, 9), TAKT_OK);
        wait_until_count(&done, i + 1);
        CHECK_IS(read_count(&done), i + 1);
        granted(order[i], 9);
        nothing(flag, ~0u, TAKT_FLAG_ANY);
    }
    CHECK_IS(takt_flag_set(flag, 4), TAKT_OK);
    wait_until_count(&done, 4);
    granted(ABOVE, 4);
}

/* A flag that is not shared has one waiting task; another task is refused while that one waits. */
static void not_shared(void) {
    uint32_t found = 0;
    done = 0;
    wish(LOW, TAKT_FLAG_single, 2, TAKT_FLAG_ANY, TAKT_FOR_EVER);
    wish(HIGH, TAKT_FLAG_single, 1, TAKT_FLAG_ANY, TAKT_FOR_EVER);
    wait_until_count(&done, 1);
    CHECK_IS(wishes[HIGH].result, TAKT_E_ILUSE);
    CHECK_IS(takt_flag_try(TAKT_FLAG_single, 1, TAKT_FLAG_ANY, &found), TAKT_E_ILUSE);
    CHECK_IS(takt_flag_set(TAKT_FLAG_single, 2), TAKT_OK);
    wait_until_count(&done, 2);
    granted(LOW, 2);
    found_is(TAKT_FLAG_single, 2, TAKT_FLAG_ANY, 2);
}

/* A task that gives up leaves the queue intact. */
static void gives_up(void) {
    for (int who = LOW; who <= MIDDLE; who++) {
        done = 0;
        for (int i = LOW; i <= MIDDLE; i++) {
            wish(i, clearing, 1, TAKT_FLAG_ANY, i == who ? 2 * TAKT_MILLISECOND : TAKT_FOR_EVER);
        }
        wait_until_count(&done, 1);
        CHECK_IS(wishes[who].result, TAKT_E_TMOUT);
        for (unsigned i = 0; i < 2; i++) {
            CHECK_IS(takt_flag_set(clearing, 1), TAKT_OK);
            wait_until_count(&done, i + 2);
        }
        CHECK_IS(takt_flag_set(clearing, 1), TAKT_OK);
        found_is(clearing, 1, TAKT_FLAG_ANY, 1);
    }
}

void main_job(intptr_t argument) {
    errors();
    bits();
    timeouts();
    same_core();
    wakes_all();
    clears(clearing, (int[]){LOW, HIGH, MIDDLE});
    clears(TAKT_FLAG_by_priority, (int[]){HIGH, MIDDLE, LOW});
    not_shared();
    gives_up();
    check_end();
}
