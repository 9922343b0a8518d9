/* SPDX-License-Identifier: Apache-2.0 */
/* One task governs others, of its own core and of another: the errors, and the effect on a task in
 * each of its states.
 * */
#include "until.h"

static unsigned steps, settled;

/* What the governed task does, until it is changed. */
static enum { SLEEP, DELAY, WAIT, RECEIVE, SPIN, RETURN } habit;
static takt_error woken_with;
static volatile bool spins;

void settled_job(intptr_t argument) {
    count_up(&settled);
}

void subject_job(intptr_t argument) {
    uint32_t found;
    intptr_t word;
    count_up(&steps);
    switch (habit) {
    case SLEEP:
        woken_with = takt_task_sleep();
        break;
    case DELAY:
        woken_with = takt_task_delay(TAKT_SECOND);
        break;
    case WAIT:
        woken_with = takt_flag_wait(TAKT_FLAG_flag, 1, TAKT_FLAG_ANY, &found);
        break;
    case RECEIVE:
        woken_with = takt_data_queue_receive(TAKT_DATA_QUEUE_queue, &word);
        break;
    case SPIN:
        while (__atomic_load_n(&spins, __ATOMIC_RELAXED)) {
        }
        break;
    case RETURN:
        break;
    }
    count_up(&steps);
}

static takt_id subject, below;

/* Activates the subject; returns when it waits or, with SPIN, when it has begun. */
static void begin(int what) {
    habit = what;
    spins = what == SPIN;
    steps = settled = 0;
    CHECK_IS(takt_task_activate(subject), TAKT_OK);
    if (what == SPIN) {
        wait_until_count(&steps, 1);
    } else {
        CHECK_IS(takt_task_activate(below), TAKT_OK);
        wait_until_count(&settled, 1);
    }
}

/* Returns when the subject's core has done everything that it had to do. */
static void settle(void) {
    settled = 0;
    CHECK_IS(takt_task_activate(below), TAKT_OK);
    wait_until_count(&settled, 1);
}

static bool is_dormant(void) {
    unsigned priority;
    return takt_task_priority(subject, &priority) == TAKT_E_OBJ;
}

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_TASKS + 1, UINT32_MAX};
    unsigned value;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_task_terminate(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_task_suspend(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_task_resume(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_task_release_wait(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_task_set_priority(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_task_priority(wrong[i], &value), TAKT_E_ID);
        CHECK_IS(takt_task_cancel_activations(wrong[i], &value), TAKT_E_ID);
        CHECK_IS(takt_task_cancel_wakeups(wrong[i], &value), TAKT_E_ID);
    }
    CHECK_IS(takt_task_terminate(takt_task_self()), TAKT_E_ILUSE);
    CHECK_IS(takt_task_set_priority(subject, 65), TAKT_E_PAR);
    CHECK_IS(takt_task_priority(subject, 0), TAKT_E_PAR);
    CHECK_IS(takt_task_cancel_activations(subject, 0), TAKT_E_PAR);
    CHECK_IS(takt_task_cancel_wakeups(subject, 0), TAKT_E_PAR);

    CHECK(is_dormant());
    CHECK_IS(takt_task_terminate(subject), TAKT_E_OBJ);
    CHECK_IS(takt_task_suspend(subject), TAKT_E_OBJ);
    CHECK_IS(takt_task_resume(subject), TAKT_E_OBJ);
    CHECK_IS(takt_task_release_wait(subject), TAKT_E_OBJ);
    CHECK_IS(takt_task_set_priority(subject, 1), TAKT_E_OBJ);
    CHECK_IS(takt_task_cancel_wakeups(subject, &value), TAKT_E_OBJ);
    CHECK_IS(takt_task_cancel_activations(subject, &value), TAKT_OK);
    CHECK_IS(value, 0);
}

static void terminates(void) {
    intptr_t word = 0;
    for (int what = SLEEP; what <= SPIN; what++) {
        begin(what);
        CHECK_IS(takt_task_terminate(subject), TAKT_OK);
        CHECK(is_dormant());
        CHECK_IS(takt_task_terminate(subject), TAKT_E_OBJ);
        settle();
        CHECK_IS(read_count(&steps), 1);
    }
    /* The subject does not wait any more. */
    CHECK_IS(takt_task_wakeup(subject), TAKT_E_OBJ);
    CHECK_IS(takt_flag_set(TAKT_FLAG_flag, 1), TAKT_OK);
    CHECK_IS(takt_flag_clear(TAKT_FLAG_flag, 0), TAKT_OK);
    CHECK_IS(takt_data_queue_try_send(TAKT_DATA_QUEUE_queue, 5), TAKT_OK);
    CHECK_IS(takt_data_queue_try_receive(TAKT_DATA_QUEUE_queue, &word), TAKT_OK);
    CHECK_IS(word, 5);

    /* If an activation is queued, the next job begins and is a whole one. */
    begin(SPIN);
    CHECK_IS(takt_task_activate(subject), TAKT_OK);
    habit = RETURN;
    CHECK_IS(takt_task_terminate(subject), TAKT_OK);
    wait_until_count(&steps, 3);
    settle();
    CHECK(is_dormant());
    CHECK_IS(read_count(&steps), 3);

    /* A suspended task is terminated as well. */
    begin(SLEEP);
    CHECK_IS(takt_task_suspend(subject), TAKT_OK);
    CHECK_IS(takt_task_terminate(subject), TAKT_OK);
    begin(RETURN);
    wait_until_count(&steps, 2);
}

static void suspends(void) {
    /* The subject is terminated while it runs. */
    begin(SPIN);
    CHECK_IS(takt_task_suspend(subject), TAKT_OK);
    CHECK_IS(takt_task_suspend(subject), TAKT_E_QOVR);
    spins = false;
    settle();
    CHECK_IS(read_count(&steps), 1);
    CHECK_IS(takt_task_resume(subject), TAKT_OK);
    wait_until_count(&steps, 2);
    settle();
    CHECK_IS(takt_task_resume(subject), TAKT_E_OBJ);

    /* The subject is suspended while it waits: the wait ends, and it does not run. */
    begin(SLEEP);
    CHECK_IS(takt_task_suspend(subject), TAKT_OK);
    CHECK_IS(takt_task_wakeup(subject), TAKT_OK);
    settle();
    CHECK_IS(read_count(&steps), 1);
    CHECK_IS(takt_task_resume(subject), TAKT_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, TAKT_OK);
    settle();

    /* The subject is resumed before its wait ends. */
    begin(WAIT);
    CHECK_IS(takt_task_suspend(subject), TAKT_OK);
    CHECK_IS(takt_task_resume(subject), TAKT_OK);
    CHECK_IS(takt_task_resume(subject), TAKT_E_OBJ);
    settle();
    CHECK_IS(read_count(&steps), 1);
    CHECK_IS(takt_flag_set(TAKT_FLAG_flag, 1), TAKT_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(takt_flag_clear(TAKT_FLAG_flag, 0), TAKT_OK);
    settle();
}

static void releases(void) {
    for (int what = SLEEP; what <= RECEIVE; what++) {
        begin(what);
        CHECK_IS(takt_task_release_wait(subject), TAKT_OK);
        wait_until_count(&steps, 2);
        CHECK_IS(woken_with, TAKT_E_RLWAI);
        settle();
        CHECK_IS(takt_task_release_wait(subject), TAKT_E_OBJ);
    }
    begin(SPIN);
    CHECK_IS(takt_task_release_wait(subject), TAKT_E_OBJ);
    spins = false;
    settle();
}

static void priorities(void) {
    unsigned priority = 0;
    begin(SPIN);
    CHECK_IS(takt_task_priority(subject, &priority), TAKT_OK);
    CHECK_IS(priority, 30);
    CHECK_IS(takt_task_set_priority(subject, 64), TAKT_OK); /* now `below` is higher */
    CHECK_IS(takt_task_priority(subject, &priority), TAKT_OK);
    CHECK_IS(priority, 64);
    settle();
    CHECK_IS(read_count(&steps), 1);
    CHECK_IS(takt_task_set_priority(subject, TAKT_PRIORITY_INITIAL), TAKT_OK);
    CHECK_IS(takt_task_priority(subject, &priority), TAKT_OK);
    CHECK_IS(priority, 30);
    spins = false;
    wait_until_count(&steps, 2);
    settle();

    begin(SLEEP);
    CHECK_IS(takt_task_set_priority(subject, 1), TAKT_OK);
    CHECK_IS(takt_task_wakeup(subject), TAKT_OK);
    wait_until_count(&steps, 2);
    settle();
    begin(SLEEP); /* a new job has its own priority again */
    CHECK_IS(takt_task_priority(subject, &priority), TAKT_OK);
    CHECK_IS(priority, 30);
    CHECK_IS(takt_task_wakeup(subject), TAKT_OK);
    settle();
}

static void cancels(void) {
    unsigned count = 9;
    begin(SPIN);
    CHECK_IS(takt_task_activate(subject), TAKT_OK);
    CHECK_IS(takt_task_activate(subject), TAKT_OK);
    CHECK_IS(takt_task_cancel_activations(subject, &count), TAKT_OK);
    CHECK_IS(count, 2);
    CHECK_IS(takt_task_wakeup(subject), TAKT_OK);
    CHECK_IS(takt_task_cancel_wakeups(subject, &count), TAKT_OK);
    CHECK_IS(count, 1);
    CHECK_IS(takt_task_cancel_wakeups(subject, &count), TAKT_OK);
    CHECK_IS(count, 0);
    spins = false;
    settle();
    CHECK_IS(read_count(&steps), 2); /* one job */
    CHECK(is_dormant());
}

/* --- In a queue in priority order ----------------------------------------------------------- */

static unsigned served;
static int serving_order[3];

void line_job(intptr_t which) {
    intptr_t word;
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_line), TAKT_OK);
    serving_order[read_count(&served)] = (int)which;
    count_up(&served);
    (void)word;
}

/* Three tasks of the priorities 30, 31 and 32 wait; the last one is raised, the first one lowered.
 */
static void changes_places(void) {
    static const takt_id line[] = {TAKT_TASK_line_0, TAKT_TASK_line_1, TAKT_TASK_line_2};
    served = 0;
    for (int i = 0; i < 3; i++) {
        CHECK_IS(takt_task_activate(line[i]), TAKT_OK);
    }
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(takt_task_set_priority(line[2], 5), TAKT_OK);
    CHECK_IS(takt_task_set_priority(line[0], 40), TAKT_OK);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_line), TAKT_OK);
        wait_until_count(&served, i + 1);
    }
    CHECK_IS(serving_order[0], 2);
    CHECK_IS(serving_order[1], 1);
    CHECK_IS(serving_order[2], 0);
}

/* --- Dispatch disabled ---------------------------------------------------------------------- */

static unsigned above_ran, locked, closer_begun, closed;
static volatile bool stay, leaves;
static unsigned beside_ran;

void beside_job(intptr_t argument) {
    count_up(&beside_ran);
}

void above_job(intptr_t argument) {
    count_up(&above_ran);
}

void locked_job(intptr_t argument) {
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    count_up(&locked);
    while (__atomic_load_n(&stay, __ATOMIC_ACQUIRE)) {
    }
    count_up(&locked);
    if (leaves) {
        return;
    }
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    count_up(&locked); /* not reached if the job was ended */
}

static takt_error closers_result;

void closer_job(intptr_t argument) {
    count_up(&closer_begun);
    closers_result = takt_task_terminate(TAKT_TASK_locked);
    count_up(&closed);
}

static void dispatch(void) {
    unsigned priority;
    above_ran = 0;
    CHECK(!takt_dispatch_disabled());
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_dispatch_disable(), TAKT_OK); /* once is enough to enable */
    CHECK(takt_dispatch_disabled());
    CHECK_IS(takt_task_activate(TAKT_TASK_above), TAKT_OK);
    CHECK_IS(takt_task_sleep(), TAKT_E_CTX);
    CHECK_IS(takt_task_delay(1), TAKT_E_CTX);
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_line), TAKT_E_CTX);
    CHECK_IS(takt_task_suspend(takt_task_self()), TAKT_E_CTX);
    CHECK_IS(takt_task_suspend(TAKT_TASK_far), TAKT_E_OBJ);   /* another core answers */
    CHECK_IS(takt_task_terminate(TAKT_TASK_far), TAKT_E_CTX); /* that answer may come late */
    CHECK_IS(takt_task_set_priority(TAKT_TASK_above, 11), TAKT_OK);
    CHECK_IS(takt_task_priority(TAKT_TASK_above, &priority), TAKT_OK);
    CHECK_IS(priority, 11);
    CHECK_IS(read_count(&above_ran), 0);
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    CHECK_IS(read_count(&above_ran), 1);
    CHECK(!takt_dispatch_disabled());
}

/* Another core ends the task while it has dispatch disabled. With `again` the caller is ended as
 * well while it waits for the answer, and calls again. */
static void dispatch_far(bool again) {
    locked = closer_begun = closed = 0;
    __atomic_store_n(&stay, true, __ATOMIC_RELEASE);
    CHECK_IS(takt_task_activate(TAKT_TASK_locked), TAKT_OK);
    wait_until_count(&locked, 1);
    CHECK_IS(takt_task_activate(TAKT_TASK_closer), TAKT_OK);
    wait_until_count(&closer_begun, 1);
    wait_a_while();
    if (again) {
        CHECK_IS(takt_task_terminate(TAKT_TASK_closer), TAKT_OK);
        CHECK_IS(takt_task_activate(TAKT_TASK_closer), TAKT_OK);
        wait_until_count(&closer_begun, 2);
        wait_a_while();
    }
    CHECK_IS(read_count(&closed), 0);
    __atomic_store_n(&stay, false, __ATOMIC_RELEASE);
    wait_until_count(&closed, 1);
    CHECK_IS(closers_result, again ? TAKT_E_OBJ : TAKT_OK);
    CHECK_IS(read_count(&locked), 2);
    CHECK_IS(takt_task_terminate(TAKT_TASK_locked), TAKT_E_OBJ);
    CHECK_IS(takt_task_activate(TAKT_TASK_locked), TAKT_OK); /* and it runs with dispatch enabled */
    wait_until_count(&locked, 5);
}

/* A task that is suspended while it has dispatch disabled ends its job: it is not in the ready
 * queue, which must stay intact. */
static void leaves_suspended(void) {
    locked = beside_ran = 0;
    __atomic_store_n(&stay, true, __ATOMIC_RELEASE);
    leaves = true;
    CHECK_IS(takt_task_activate(TAKT_TASK_locked), TAKT_OK);
    wait_until_count(&locked, 1);
    CHECK_IS(takt_task_suspend(TAKT_TASK_locked), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_beside), TAKT_OK);
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(read_count(&beside_ran), 0);
    __atomic_store_n(&stay, false, __ATOMIC_RELEASE);
    wait_until_count(&beside_ran, 1);
    CHECK_IS(read_count(&locked), 2);
    CHECK_IS(takt_task_resume(TAKT_TASK_locked), TAKT_E_OBJ);
}

static void all_of(takt_id task, takt_id settled_task) {
    subject = task;
    below = settled_task;
    errors();
    terminates();
    suspends();
    releases();
    priorities();
    cancels();
}

void main_job(intptr_t argument) {
    all_of(TAKT_TASK_near, TAKT_TASK_settled_0);
    all_of(TAKT_TASK_far, TAKT_TASK_settled_1);
    changes_places();
    dispatch();
    dispatch_far(false);
    dispatch_far(true);
    leaves_suspended();
    check_end();
}
