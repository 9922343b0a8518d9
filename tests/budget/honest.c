/* SPDX-License-Identifier: Apache-2.0 */
/* A job that executes no longer than its budget is not stopped, however often it is interrupted and
 * however long it spins for a mutex of another core. A job that executes longer is stopped soon
 * after. The budget is 1 ms. */
#include "until.h"

enum { JOBS = 20, TURNS = 20000 };

static volatile unsigned turn;
static unsigned whole; /* turns that take 991 us */

static void work(unsigned turns) {
    for (turn = 0; turn < turns; turn++) {
    }
}

/* Measures how long the turns take without interrupts. */
static takt_time measure(unsigned turns) {
    takt_assert(takt_cpu_lock() == TAKT_OK);
    takt_time begin = takt_time_now();
    work(turns);
    takt_time end = takt_time_now();
    takt_cpu_unlock();
    return end - begin;
}

/* Interrupts core 1 every 25 us. */
void interrupt_it(intptr_t argument) {
}

static unsigned honest, overran, beyond;
static volatile takt_time began;

void honest_job(intptr_t argument) {
    work(whole);
    count_up(&honest);
}

void greedy_job(intptr_t argument) {
    began = takt_time_now();
    for (;;) {
        turn++;
    }
}

void overrun_handler(intptr_t task) {
    /* Some 50 interrupts, each of which adds at most its margin of 3.1 us. */

    beyond += takt_time_now() - began > 1250 * TAKT_MICROSECOND;
    count_up(&overran);
}

static unsigned held, spun;

/* The job's own execution is 900 us, and it spins for the mutex for 400 us. */
void spinning_job(intptr_t argument) {
    count_up(&held);
    while (read_count(&held) != 2) {
    }
    CHECK_IS(takt_mutex_lock(TAKT_MUTEX_shared), TAKT_OK);
    work(whole / 10 * 8);
    CHECK_IS(takt_mutex_unlock(TAKT_MUTEX_shared), TAKT_OK);
    count_up(&spun);
}

static void spins(void) {
    for (unsigned i = 1; i <= JOBS; i++) {
        held = 0;
        CHECK_IS(takt_task_activate(TAKT_TASK_spinning), TAKT_OK);
        wait_until_count(&held, 1);
        CHECK_IS(takt_mutex_lock(TAKT_MUTEX_shared), TAKT_OK);
        count_up(&held);
        takt_time end = takt_time_now() + 400 * TAKT_MICROSECOND;
        while (takt_time_now() < end) {
        }
        CHECK_IS(takt_mutex_unlock(TAKT_MUTEX_shared), TAKT_OK);
        wait_until_count(&spun, i);
    }
}

void main_job(intptr_t argument) {
    measure(TURNS);
    whole = (unsigned)(991 * TAKT_MICROSECOND * TURNS / measure(TURNS));
    printf("%u turns\n", whole);
    for (unsigned i = 1; i <= JOBS; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_honest), TAKT_OK);
        wait_until_count(&honest, i);
    }
    CHECK_IS(overran, 0);
    spins();
    CHECK_IS(overran, 0);
    for (unsigned i = 1; i <= JOBS; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_greedy), TAKT_OK);
        wait_until_count(&overran, i);
    }
    CHECK_IS(beyond, 0);
    check_end();
}
