/* SPDX-License-Identifier: Apache-2.0 */
/* Task services: activation and its queue, sleep and wake-up, delay, periodic and sporadic
 * releases; on the caller's core and across cores. COMMON: without releases. */
#include "check.h"

enum { HIGH, EQUAL, LOW, REMOTE, SPORADIC, COUNTERS };

static unsigned jobs[COUNTERS];
#ifndef COMMON
static takt_time releases[COUNTERS][8];
#endif

void count_job(intptr_t which) {
#ifndef COMMON
    releases[which][jobs[which] % 8] = takt_task_release_time();
#endif
    __atomic_fetch_add(&jobs[which], 1, __ATOMIC_RELEASE);
}

static unsigned count(int which) {
    return __atomic_load_n(&jobs[which], __ATOMIC_ACQUIRE);
}

static void wait_until(const unsigned *counter, unsigned value) {
    for (int i = 0; i < 1000 && __atomic_load_n(counter, __ATOMIC_ACQUIRE) < value; i++) {
        takt_task_delay(TAKT_MILLISECOND);
    }
    CHECK_IS(__atomic_load_n(counter, __ATOMIC_ACQUIRE), value);
}

/* Returns when the clock has advanced. */
static takt_time next_moment(void) {
    takt_time now = takt_time_now();
    while (takt_time_now() == now) {
    }
    return takt_time_now();
}

/* One job runs, and the queue has three places: each job is released at the time of its own call.
 */
static void queued_activations(void) {
    takt_time moments[5];
    for (int i = 0; i < 4; i++) {
        moments[i] = next_moment();
        CHECK_IS(takt_task_activate(TAKT_TASK_low), TAKT_OK);
    }
    moments[4] = next_moment();
    CHECK_IS(takt_task_activate(TAKT_TASK_low), TAKT_E_QOVR);
    CHECK_IS(count(LOW), 0);
    wait_until(&jobs[LOW], 4);
    CHECK_IS(count(LOW), 4);
#ifndef COMMON
    for (int i = 0; i < 4; i++) {
        CHECK(moments[i] <= releases[LOW][i] && releases[LOW][i] < moments[i + 1]);
    }
#endif
}

static void activation(void) {
    CHECK_IS(takt_task_activate(0), TAKT_E_ID);
    CHECK_IS(takt_task_activate(TAKT_TASKS + 1), TAKT_E_ID);
    CHECK_IS(takt_task_activate(UINT32_MAX), TAKT_E_ID);
#ifndef COMMON
    CHECK_IS(takt_task_activate(TAKT_TASK_periodic), TAKT_E_OBJ);
#endif

    CHECK_IS(takt_task_activate(TAKT_TASK_high),
             TAKT_OK); /* a higher task, which has run already */
    CHECK_IS(count(HIGH), 1);

    CHECK_IS(takt_task_activate(TAKT_TASK_equal), TAKT_OK); /* FIFO: behind this task */
    CHECK_IS(count(EQUAL), 0);
    queued_activations();
    CHECK_IS(count(EQUAL), 1);

    CHECK_IS(takt_task_activate(TAKT_TASK_remote), TAKT_OK);
    wait_until(&jobs[REMOTE], 1);
}

static unsigned woken;
static takt_error sleep_result;

void sleeper_job(intptr_t argument) {
    sleep_result = takt_task_sleep();
    __atomic_fetch_add(&woken, 1, __ATOMIC_RELEASE);
    takt_task_sleep_for(20 * TAKT_MILLISECOND);
    __atomic_fetch_add(&woken, 1, __ATOMIC_RELEASE);
}

static void wakeup_of(takt_id sleeper) {
    woken = 0;
    sleep_result = 1;
    CHECK_IS(takt_task_wakeup(sleeper), TAKT_E_OBJ); /* the task has no job */
    CHECK_IS(takt_task_activate(sleeper), TAKT_OK);
    takt_task_delay(5 * TAKT_MILLISECOND);
    CHECK_IS(woken, 0);
    CHECK_IS(takt_task_wakeup(sleeper), TAKT_OK);
    wait_until(&woken, 1);
    CHECK_IS(sleep_result, TAKT_OK);
    takt_task_delay(5 * TAKT_MILLISECOND);
    CHECK_IS(woken, 1); /* sleeps again, for up to 20 ms */
    CHECK_IS(takt_task_wakeup(sleeper), TAKT_OK);
    wait_until(&woken, 2);
}

static void counted_wakeups(void) {
    CHECK_IS(takt_task_wakeup(TAKT_TASKS + 1), TAKT_E_ID);
    CHECK_IS(takt_task_sleep_for(0), TAKT_E_TMOUT);
    CHECK_IS(takt_task_sleep_for(-1), TAKT_E_PAR);
    for (int i = 0; i < 255; i++) {
        CHECK_IS(takt_task_wakeup(TAKT_TASK_main), TAKT_OK);
    }
    CHECK_IS(takt_task_wakeup(TAKT_TASK_main), TAKT_E_QOVR);
    for (int i = 0; i < 255; i++) {
        CHECK_IS(takt_task_sleep(), TAKT_OK);
    }
    takt_time before = takt_time_now();
    CHECK_IS(takt_task_sleep_for(3 * TAKT_MILLISECOND), TAKT_E_TMOUT);
    CHECK(takt_time_now() - before >= 3 * TAKT_MILLISECOND);
}

static void delays(void) {
    CHECK_IS(takt_task_delay(-1), TAKT_E_PAR);
    CHECK_IS(takt_task_delay(0), TAKT_OK);
    for (takt_time delay = 1; delay < 5 * TAKT_MILLISECOND; delay *= 7) {
        takt_time before = takt_time_now();
        CHECK_IS(takt_task_delay(delay), TAKT_OK);
        CHECK(takt_time_now() - before >= delay);
    }
}

#ifndef COMMON
static unsigned periodic_jobs, slow_jobs;
static bool exact = true;

void periodic_job(intptr_t argument) {
    takt_time release = takt_task_release_time();
    exact &= release == (3 + 7 * (takt_time)periodic_jobs) * TAKT_MILLISECOND;
    exact &= takt_time_now() >= release;
    __atomic_fetch_add(&periodic_jobs, 1, __ATOMIC_RELEASE);
}

/* Takes 25 ms with a period of 10 ms: one release is queued, the others are lost. */
void slow_job(intptr_t argument) {
    takt_task_delay(25 * TAKT_MILLISECOND);
    __atomic_fetch_add(&slow_jobs, 1, __ATOMIC_RELEASE);
}

static void sporadic(void) {
    CHECK_IS(takt_task_activate(TAKT_TASK_sporadic), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_sporadic), TAKT_OK); /* held back by 10 ms */
    CHECK_IS(takt_task_activate(TAKT_TASK_sporadic), TAKT_OK); /* by 20 ms */
    takt_task_delay(5 * TAKT_MILLISECOND);
    CHECK_IS(count(SPORADIC), 1);
    wait_until(&jobs[SPORADIC], 3);
    for (int i = 1; i < 3; i++) {
        CHECK_IS(releases[SPORADIC][i] - releases[SPORADIC][i - 1], 10 * TAKT_MILLISECOND);
    }
}
#endif

static unsigned quits;

void quits_job(intptr_t argument) {
    quits++;
    takt_task_exit();
    quits += 100;
}

void main_job(intptr_t argument) {
    CHECK_IS(takt_task_self(), TAKT_TASK_main);
#ifndef COMMON
    CHECK_IS(takt_task_release_time(), 0);
#endif
    activation();
    wakeup_of(TAKT_TASK_sleeper);
    wakeup_of(TAKT_TASK_remote_sleeper);
    counted_wakeups();
    delays();
#ifndef COMMON
    sporadic();
#endif
    CHECK_IS(takt_task_activate(TAKT_TASK_quits), TAKT_OK);
    CHECK_IS(quits, 1);
#ifndef COMMON
    takt_task_delay(498 * TAKT_MILLISECOND - takt_time_now());
    CHECK_IS(periodic_jobs, 71); /* 3 + 7 k <= 498 */
    CHECK(exact);
    CHECK_IS(slow_jobs, 19); /* 25 ms each, one after the other, the first at time 0 */
#endif
    check_end();
}
