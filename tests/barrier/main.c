/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of barriers: its errors, which task opens a barrier, and which tasks have not
 * arrived. */
#include "settled.h"

static const takt_id three = TAKT_BARRIER_three, two = TAKT_BARRIER_two;

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_BARRIERS + 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_barrier_wait(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_barrier_try(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_barrier_wait_for(wrong[i], 0), TAKT_E_ID);
    }
    CHECK_IS(takt_barrier_wait_for(three, -1), TAKT_E_PAR);
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_barrier_wait(three), TAKT_E_CTX);
    CHECK_IS(takt_barrier_wait_for(three, 1), TAKT_E_CTX);
    CHECK_IS(takt_barrier_try(three), TAKT_E_TMOUT);
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    for (int i = 0; i < 3; i++) { /* a single participant is the last one */
        CHECK_IS(takt_barrier_wait(TAKT_BARRIER_alone), TAKT_OK);
        CHECK_IS(takt_barrier_try(TAKT_BARRIER_alone), TAKT_OK);
        CHECK_IS(takt_barrier_wait_for(TAKT_BARRIER_alone, 1), TAKT_OK);
    }
}

/* --- Tasks that arrive ---------------------------------------------------------------------- */

enum { FIRST, SECOND, ABOVE, HIGH_ABOVE, TASKS };

static const takt_id tasks[TASKS] = {TAKT_TASK_first, TAKT_TASK_second, TAKT_TASK_above,
                                     TAKT_TASK_high_above};
static struct {
    takt_id barrier;
    takt_time timeout;
    takt_error result;
    unsigned turn; /* the turn in which it went on */
} parts[TASKS];
static unsigned done;

void part_job(intptr_t who) {
    parts[who].result = takt_barrier_wait_for(parts[who].barrier, parts[who].timeout);
    parts[who].turn = __atomic_add_fetch(&done, 1, __ATOMIC_ACQ_REL);
}

/* Lets a task arrive; returns when the task waits or has gone on. */
static void arrives(int who, takt_id barrier, takt_time timeout) {
    parts[who].barrier = barrier, parts[who].timeout = timeout, parts[who].result = 1;
    run_until_it_waits(tasks[who]);
}

static void has(takt_id barrier, uint32_t arrived, takt_id first) {
    struct takt_barrier_state state;
    CHECK_IS(takt_barrier_state(barrier, &state), TAKT_OK);
    CHECK_IS(state.arrived, arrived);
    CHECK_IS(state.first, first);
}

/* Lets the two tasks and then this one arrive: none goes on before, all do then. */
static void meets(int who, int other) {
    done = 0;
    arrives(who, three, TAKT_FOR_EVER);
    has(three, 1, tasks[who]);
    CHECK_IS(takt_barrier_try(three), TAKT_E_TMOUT); /* does not count as an arrival */
    arrives(other, three, TAKT_SECOND);
    has(three, 2, tasks[who]);
    CHECK_IS(read_count(&done), 0);
    CHECK_IS(takt_barrier_wait(three), TAKT_OK);
    wait_until_count(&done, 2);
    CHECK_IS(parts[who].result, TAKT_OK);
    CHECK_IS(parts[other].result, TAKT_OK);
    has(three, 0, 0);
}

/* Higher tasks of the last one's core have gone on when its call returns, in the order of their
 * priority. */
static void same_core(void) {
    meets(ABOVE, HIGH_ABOVE);
    CHECK_IS(read_count(&done), 2);
    CHECK_IS(parts[HIGH_ABOVE].turn, 1);
    done = 0;
    arrives(ABOVE, two, TAKT_FOR_EVER);
    CHECK_IS(takt_barrier_try(two), TAKT_OK);
    CHECK_IS(read_count(&done), 1);
}

/* This task waits, and another one is the last. */
static void is_woken(void) {
    done = 0;
    arrives(FIRST, three, TAKT_FOR_EVER);
    parts[SECOND].barrier = three, parts[SECOND].timeout = TAKT_FOR_EVER;
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_barrier_wait(three), TAKT_E_CTX); /* has not arrived by that */
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    has(three, 1, tasks[FIRST]);
    CHECK_IS(takt_task_activate(tasks[SECOND]), TAKT_OK);
    CHECK_IS(takt_barrier_wait_for(three, PATIENCE), TAKT_OK);
    wait_until_count(&done, 2);
}

static unsigned handler_calls;
static takt_error handler_results[3];

void handler_job(intptr_t argument) {
    handler_results[0] = takt_barrier_wait(two);
    handler_results[1] = takt_barrier_try(two);
    handler_results[2] = takt_barrier_try(two);
    count_up(&handler_calls);
}

/* A handler may be the last participant, but must not wait. */
static void handler_opens(void) {
    done = 0;
    arrives(FIRST, two, TAKT_FOR_EVER);
    CHECK_IS(takt_alarm_start(TAKT_ALARM_handler, 1), TAKT_OK);
    wait_until_count(&handler_calls, 1);
    CHECK_IS(handler_results[0], TAKT_E_CTX);
    CHECK_IS(handler_results[1], TAKT_OK);
    CHECK_IS(handler_results[2], TAKT_E_TMOUT);
    wait_until_count(&done, 1);
    CHECK_IS(parts[FIRST].result, TAKT_OK);
}

enum { TIMEOUT, RELEASE, TERMINATION };

/* A task that leaves before the last one arrives has not arrived; one more is needed. */
static void leaves(int who, int how) {
    int other = who == FIRST ? SECOND : FIRST;
    done = 0;
    arrives(FIRST, three, who == FIRST && how == TIMEOUT ? TAKT_MILLISECOND : TAKT_FOR_EVER);
    arrives(SECOND, three, who == SECOND && how == TIMEOUT ? TAKT_MILLISECOND : TAKT_FOR_EVER);
    if (how == RELEASE) {
        CHECK_IS(takt_task_release_wait(tasks[who]), TAKT_OK);
    } else if (how == TERMINATION) {
        CHECK_IS(takt_task_terminate(tasks[who]), TAKT_OK);
    }
    if (how != TERMINATION) {
        wait_until_count(&done, 1);
        CHECK_IS(parts[who].result, how == TIMEOUT ? TAKT_E_TMOUT : TAKT_E_RLWAI);
    }
    has(three, 1, tasks[other]);
    CHECK_IS(takt_barrier_wait_for(three, TAKT_MILLISECOND), TAKT_E_TMOUT);
    has(three, 1, tasks[other]);
    arrives(ABOVE, three, TAKT_FOR_EVER);
    CHECK_IS(takt_barrier_wait_for(three, TAKT_SECOND), TAKT_OK);
    wait_until_count(&done, how == TERMINATION ? 2 : 3);
    CHECK_IS(parts[other].result, TAKT_OK);
    has(three, 0, 0);
}

void main_job(intptr_t argument) {
    errors();
    for (int i = 0; i < 3; i++) {
        meets(FIRST, SECOND);
        meets(SECOND, FIRST);
    }
    same_core();
    is_woken();
    handler_opens();
    for (int how = TIMEOUT; how <= TERMINATION; how++) {
        leaves(FIRST, how);
        leaves(SECOND, how);
    }
    check_end();
}
