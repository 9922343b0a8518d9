/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes of a placement do to each other: all of them at one semaphore; calls about tasks
 * of other nodes, in a ring, while these call too; waiting tasks whose priority changes; and calls
 * of a task that meet the wake-up of another one of its node. */
#include "until.h"

#ifndef TURNS /* tests/seeds has fewer */
#define TURNS 40
#endif

enum { NODES = 8, WAITERS = 4 };

static unsigned callers_done;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* --- All nodes at one semaphore, and then asking each other ------------------------------------
 */

static unsigned inside, visits;               /* in the room: written by who is inside */
static unsigned started[NODES], woken[NODES]; /* by the node that is asked: calls that were OK */
static unsigned jobs[NODES], awakened[NODES]; /* there: jobs, and sleeps that a wake-up ended */
static unsigned sleepers_end, sleepers_done;

static void visit(void) {
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_room), TAKT_OK);
    CHECK_IS(inside, 0);
    inside = 1;
    visits++;
    inside = 0;
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_room), TAKT_OK);
}

static bool accepted(takt_error result) {
    CHECK(result == TAKT_OK || result == TAKT_E_QOVR);
    return result == TAKT_OK;
}

/* The tasks are named one after the other, so that IDs follow each other. */
void caller_job(intptr_t node) {
    unsigned random = (unsigned)node + 1, next = ((unsigned)node + 1) % NODES;
    for (int turn = 0; turn < TURNS; turn++) {
        visit();
    }
    for (int turn = 0; turn < TURNS; turn++) {
        unsigned priority = 12 + next_random(&random) % 4;
        started[next] += accepted(takt_task_activate(TAKT_TASK_target_0 + next));
        woken[next] += accepted(takt_task_wakeup(TAKT_TASK_sleeper_0 + next));
        CHECK_IS(takt_task_set_priority(TAKT_TASK_sleeper_0 + next, priority), TAKT_OK);
    }
    count_up(&callers_done);
}

void target_job(intptr_t node) {
    jobs[node]++;
}

/* Sleeps for up to 262 us, so that time ends some of the sleeps. */
void sleeper_job(intptr_t node) {
    unsigned random = (unsigned)node + 100;
    while (read_count(&sleepers_end) == 0) {
        takt_time patience = 4 * (takt_time)next_random(&random);
        awakened[node] += takt_task_sleep_for(patience) == TAKT_OK;
    }
    while (takt_task_sleep_for(0) == TAKT_OK) {
        awakened[node]++;
    }
    count_up(&sleepers_done);
}

static void nodes_call(void) {
    for (unsigned node = 0; node < NODES; node++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_sleeper_0 + node), TAKT_OK);
    }
    for (unsigned node = 0; node < NODES; node++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_caller_0 + node), TAKT_OK);
    }
    wait_until_count(&callers_done, NODES);
    count_up(&sleepers_end);
    wait_until_count(&sleepers_done, NODES);
    CHECK_IS(visits, NODES * TURNS);
    unsigned counted = 0;
    for (unsigned node = 0; node < NODES; node++) {
        CHECK_IS(jobs[node], started[node]);
        CHECK_IS(awakened[node], woken[node]);
        counted += started[node] + woken[node];
    }
    printf("%u jobs and wake-ups by other nodes\n", counted);
}

/* --- Priorities of tasks that wait -------------------------------------------------------------
 */

static unsigned waiting, served;
static intptr_t order[WAITERS];

/* The third one has a higher priority when it begins to wait, and the second one gets a still
 * higher one meanwhile. When the third one is served, it gives the fourth one the first place. */
void waiter_job(intptr_t which) {
    if (which == 2) {
        CHECK_IS(takt_task_set_priority(TAKT_TASK_waiter_c, 25), TAKT_OK);
    }
    count_up(&waiting);
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_line), TAKT_OK);
    order[served] = which;
    if (which == 2) {
        CHECK_IS(takt_task_set_priority(TAKT_TASK_waiter_d, 22), TAKT_OK);
    }
    count_up(&served);
}

static void priorities_change(void) {
    for (unsigned i = 0; i < WAITERS; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_waiter_a + i), TAKT_OK);
        wait_until_count(&waiting, i + 1);
    }
    wait_a_while();
    CHECK_IS(takt_task_set_priority(TAKT_TASK_waiter_b, 24), TAKT_OK);
    for (unsigned i = 0; i < WAITERS; i++) {
        CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_line), TAKT_OK);
        wait_until_count(&served, i + 1);
    }
    CHECK(order[0] == 1 && order[1] == 2 && order[2] == 3 && order[3] == 0);
}

/* --- Two results for one node ------------------------------------------------------------------
 */

static unsigned heard, low_end, low_done, calls;

/* The words are long, or short enough to lie in an answer. */
static intptr_t word_of(unsigned number) {
    return number % 2 == 0 ? (intptr_t)number : ~((intptr_t)number << 33);
}

void high_job(intptr_t argument) {
    for (unsigned number = 0; number < TURNS; number++) {
        intptr_t word;
        unsigned priority;
        CHECK_IS(takt_priority_data_queue_receive(TAKT_PRIORITY_DATA_QUEUE_bell, &word, &priority),
                 TAKT_OK);
        CHECK(word == word_of(number) && priority == 1 + number % 2);
        count_up(&heard);
    }
}

/* Sends words to itself, so that each is its own. */
void low_job(intptr_t argument) {
    unsigned number = 1000;
    while (read_count(&low_end) == 0) {
        intptr_t word;
        unsigned priority;
        CHECK_IS(takt_priority_data_queue_send(TAKT_PRIORITY_DATA_QUEUE_own, word_of(number),
                                               1 + number % 2),
                 TAKT_OK);
        CHECK_IS(takt_priority_data_queue_receive(TAKT_PRIORITY_DATA_QUEUE_own, &word, &priority),
                 TAKT_OK);
        CHECK(word == word_of(number) && priority == 1 + number % 2);
        number++;
        calls++;
    }
    count_up(&low_done);
}

static void results_meet(void) {
    unsigned random = 7;
    CHECK_IS(takt_task_activate(TAKT_TASK_high), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_low), TAKT_OK);
    for (unsigned number = 0; number < TURNS; number++) {
        takt_time until = takt_time_now() + next_random(&random) % (20 * TAKT_MICROSECOND);
        while (takt_time_now() < until) {
        }
        CHECK_IS(takt_priority_data_queue_send(TAKT_PRIORITY_DATA_QUEUE_bell, word_of(number),
                                               1 + number % 2),
                 TAKT_OK);
    }
    wait_until_count(&heard, TURNS);
    count_up(&low_end);
    wait_until_count(&low_done, 1);
    CHECK(calls > 0);
}

void main_job(intptr_t argument) {
    nodes_call();
    priorities_change();
    results_meet();
    check_end();
}
