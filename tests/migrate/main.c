/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that migrate: errors, what happens to a task in each of its states, where jobs begin, and
 * that registers, floating point and thread-local storage are kept. */
#include "until.h"

unsigned registers_spin(uint64_t pattern, uint64_t turns, uint64_t fcsr);
unsigned registers_across(uint64_t pattern, void (*call)(void), uint64_t fcsr);

enum { MOVER = TAKT_TASK_mover, BOUND = TAKT_TASK_bound };

/* What the mover does, until it is changed. */
static enum { SLEEP, NAP, DELAY, WAIT, TAKE, SPIN, LOCKED, RETURN } habit;
static unsigned steps;
static uint32_t begun_on, ended_on;
static takt_error woken_with;
static volatile bool spins;

void mover_job(intptr_t argument) {
    uint32_t found;
    begun_on = takt_core_self();
    count_up(&steps);
    switch (habit) {
    case SLEEP:
        woken_with = takt_task_sleep();
        break;
    case NAP:
        woken_with = takt_task_sleep_for(20 * TAKT_MILLISECOND);
        break;
    case DELAY:
        woken_with = takt_task_delay(20 * TAKT_MILLISECOND);
        break;
    case WAIT:
        woken_with = takt_flag_wait(TAKT_FLAG_flag, 1, TAKT_FLAG_ANY, &found);
        break;
    case TAKE:
        woken_with = takt_semaphore_wait_for(TAKT_SEMAPHORE_semaphore, 20 * TAKT_MILLISECOND);
        break;
    case LOCKED:
        CHECK_IS(takt_dispatch_disable(), TAKT_OK);
        CHECK_IS(takt_task_migrate(MOVER, 2), TAKT_E_CTX);
        count_up(&steps);
        while (__atomic_load_n(&spins, __ATOMIC_RELAXED)) {
        }
        CHECK_IS(takt_core_self(), begun_on);
        if (habit == RETURN) {
            count_up(&steps);
            takt_task_exit();
        }
        CHECK_IS(takt_dispatch_enable(), TAKT_OK);
        break;
    case SPIN:
        while (__atomic_load_n(&spins, __ATOMIC_RELAXED)) {
        }
        break;
    case RETURN:
        break;
    }
    ended_on = takt_core_self();
    count_up(&steps);
}

void bound_job(intptr_t argument) {
}

static uint32_t core_of(takt_id task) {
    struct takt_task_state state = {.core = UINT32_MAX};
    CHECK_IS(takt_task_state(task, &state), TAKT_OK);
    return state.core;
}

static int does(takt_id task) {
    struct takt_task_state state = {.is = -1};
    CHECK_IS(takt_task_state(task, &state), TAKT_OK);
    return state.is;
}

static void wait_until_it(takt_id task, int state) {
    for (int i = 0; i < PATIENCE / (100 * TAKT_MICROSECOND) && does(task) != state; i++) {
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    CHECK_IS(does(task), state);
}

static bool ends_by_waiting(int what) {
    return what == SLEEP || what == WAIT || what == NAP || what == DELAY || what == TAKE;
}

/* Activates the mover; returns when it waits or spins. */
static void begin(int what) {
    habit = what;
    spins = what == SPIN || what == LOCKED;
    steps = 0;
    woken_with = 1;
    CHECK_IS(takt_task_activate(MOVER), TAKT_OK);
    wait_until_count(&steps, what == LOCKED ? 2 : 1);
    if (what == SLEEP || what == WAIT) {
        wait_until_it(MOVER, TAKT_TASK_IS_WAITING);
    }
}

static void end(int what) {
    spins = false;
    if (what == SLEEP) {
        CHECK_IS(takt_task_wakeup(MOVER), TAKT_OK);
    } else if (what == WAIT) {
        CHECK_IS(takt_flag_set(TAKT_FLAG_flag, 1), TAKT_OK);
    }
    wait_until_count(&steps, what == LOCKED ? 3 : 2);
    wait_until_it(MOVER, TAKT_TASK_IS_DORMANT);
    takt_flag_clear(TAKT_FLAG_flag, 0);
}

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_TASKS + 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_task_migrate(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_task_activate_on(wrong[i], 1), TAKT_E_ID);
    }
    const uint32_t nowhere[] = {3, 4, 63, 64, 127, 128, 1000, UINT32_MAX - 1};
    for (unsigned i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        CHECK_IS(takt_task_migrate(MOVER, nowhere[i]), TAKT_E_PAR);
        CHECK_IS(takt_task_activate_on(MOVER, nowhere[i]), TAKT_E_PAR);
    }
    CHECK_IS(takt_task_migrate(BOUND, 0), TAKT_E_PAR);
    CHECK_IS(takt_task_activate_on(BOUND, 0), TAKT_E_PAR);
    CHECK_IS(takt_task_migrate(TAKT_TASK_main, 1), TAKT_E_PAR);
    CHECK_IS(takt_task_migrate(BOUND, 1), TAKT_OK);
    CHECK_IS(takt_task_migrate(BOUND, TAKT_CORE_INITIAL), TAKT_OK);
    CHECK_IS(core_of(BOUND), 1);
    CHECK_IS(core_of(MOVER), 1);

    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_task_migrate(MOVER, 2), TAKT_OK); /* another core answers */
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    CHECK_IS(core_of(MOVER), 2);
    CHECK_IS(takt_task_migrate(MOVER, 1), TAKT_OK);
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    CHECK_IS(takt_task_migrate(MOVER, 2), TAKT_E_CTX);
    CHECK_IS(takt_task_activate_on(MOVER, 2), TAKT_E_CTX);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK);
    CHECK_IS(core_of(MOVER), 1);
}

/* Moves the mover to another core, to this one, to its own, and back. */
static void in_each_state(void) {
    for (int what = SLEEP; what <= RETURN; what++) {
        for (uint32_t to = 0; to < 3; to++) {
            takt_time since = takt_time_now();
            if (what != RETURN) {
                begin(what);
            }
            CHECK_IS(takt_task_migrate(MOVER, to), TAKT_OK);
            bool in_time = read_count(&steps) == 1 || what == LOCKED;
            CHECK_IS(core_of(MOVER), what == LOCKED ? 1 : to);
            if (what == RETURN) {
                begin(what);
                CHECK_IS(begun_on, to);
            }
            end(what);
            CHECK(ended_on == to || !in_time); /* or it stood still for longer than its wait */
            if (ends_by_waiting(what)) {
                CHECK_IS(woken_with, what == NAP || what == TAKE ? TAKT_E_TMOUT : TAKT_OK);
            }
            if (what == NAP || what == DELAY || what == TAKE) {
                CHECK(takt_time_now() - since >= 20 * TAKT_MILLISECOND);
            }
            CHECK_IS(takt_task_migrate(MOVER, TAKT_CORE_INITIAL), TAKT_OK);
            CHECK_IS(core_of(MOVER), 1);
        }
    }
}

/* After the arrival the task is still suspended, has its priority, and can be governed. */
static void governed_there(void) {
    unsigned priority = 0;
    begin(SLEEP);
    CHECK_IS(takt_task_suspend(MOVER), TAKT_OK);
    CHECK_IS(takt_task_set_priority(MOVER, 33), TAKT_OK);
    CHECK_IS(takt_task_migrate(MOVER, 2), TAKT_OK);
    CHECK_IS(takt_task_wakeup(MOVER), TAKT_OK);
    wait_until_it(MOVER, TAKT_TASK_IS_SUSPENDED);
    CHECK_IS(takt_task_priority(MOVER, &priority), TAKT_OK);
    CHECK_IS(priority, 33);
    CHECK_IS(takt_task_migrate(MOVER, 0), TAKT_OK);
    CHECK_IS(does(MOVER), TAKT_TASK_IS_SUSPENDED);
    CHECK_IS(read_count(&steps), 1);
    CHECK_IS(takt_task_resume(MOVER), TAKT_OK);
    end(RETURN);
    CHECK_IS(ended_on, 0);

    for (int what = SLEEP; what <= SPIN; what++) {
        begin(what);
        CHECK_IS(takt_task_migrate(MOVER, begun_on ^ 2), TAKT_OK);
        CHECK_IS(takt_task_terminate(MOVER), TAKT_OK);
        CHECK_IS(does(MOVER), TAKT_TASK_IS_DORMANT);
        CHECK_IS(takt_task_wakeup(MOVER), TAKT_E_OBJ);
        CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_semaphore), TAKT_OK);
        CHECK_IS(takt_semaphore_try(TAKT_SEMAPHORE_semaphore), TAKT_OK);
    }
    begin(SLEEP);
    CHECK_IS(takt_task_migrate(MOVER, 1), TAKT_OK);
    CHECK_IS(takt_task_release_wait(MOVER), TAKT_OK);
    end(RETURN);
    CHECK_IS(woken_with, TAKT_E_RLWAI);
}

/* With dispatch disabled the task migrates when its job ends, or when it enables dispatch. */
static void leaves_late(void) {
    begin(LOCKED);
    CHECK_IS(takt_task_migrate(MOVER, 2), TAKT_OK);
    CHECK_IS(takt_task_migrate(MOVER, 1), TAKT_OK); /* it does not migrate at all */
    end(LOCKED);
    CHECK_IS(ended_on, 1);
    begin(LOCKED);
    CHECK_IS(takt_task_migrate(MOVER, 2), TAKT_OK);
    CHECK_IS(takt_task_activate(MOVER), TAKT_OK);
    spins = false;
    wait_until_count(&steps, 6);
    CHECK_IS(begun_on, 2);
    wait_until_it(MOVER, TAKT_TASK_IS_DORMANT);
    CHECK_IS(takt_task_migrate(MOVER, 1), TAKT_OK);
    /* Its job ends before it has enabled dispatch, with and without a queued activation. */
    for (unsigned more = 0; more < 2; more++) {
        begin(LOCKED);
        CHECK_IS(takt_task_migrate(MOVER, 2), TAKT_OK);
        CHECK_IS(more == 0 || takt_task_activate(MOVER) == TAKT_OK, true);
        habit = RETURN;
        spins = false;
        wait_until_count(&steps, more == 0 ? 3 : 5);
        wait_until_it(MOVER, TAKT_TASK_IS_DORMANT);
        CHECK_IS(core_of(MOVER), 2);
        CHECK_IS(begun_on, more == 0 ? 1 : 2);
        CHECK_IS(takt_task_migrate(MOVER, 1), TAKT_OK);
    }
}

static unsigned handled;

void in_handler(intptr_t argument) {
    CHECK_IS(takt_task_migrate(MOVER, 2), TAKT_E_CTX);
    CHECK_IS(takt_task_activate_on(MOVER, 7), TAKT_E_PAR);
    CHECK_IS(takt_task_activate_on(MOVER, 2), TAKT_OK);
    count_up(&handled);
}

static void jobs_elsewhere(void) {
    unsigned count = 0;
    for (uint32_t to = 0; to < 3; to++) {
        habit = RETURN;
        steps = 0;
        CHECK_IS(takt_task_activate_on(MOVER, to), TAKT_OK);
        wait_until_count(&steps, 2);
        CHECK_IS(begun_on, to);
        wait_until_it(MOVER, TAKT_TASK_IS_DORMANT);
        CHECK_IS(core_of(MOVER), to); /* and stays there */
    }
    /* The last activation chooses the core of the next job; one that is refused changes nothing. */
    begin(SLEEP);
    CHECK_IS(takt_task_activate_on(MOVER, 0), TAKT_OK);
    CHECK_IS(takt_task_activate_on(MOVER, 1), TAKT_OK);
    CHECK_IS(takt_task_activate(MOVER), TAKT_OK);
    CHECK_IS(takt_task_activate_on(MOVER, 0), TAKT_E_QOVR);
    CHECK_IS(begun_on, 2);
    habit = RETURN;
    CHECK_IS(takt_task_wakeup(MOVER), TAKT_OK);
    wait_until_count(&steps, 8);
    CHECK_IS(begun_on, 1);
    wait_until_it(MOVER, TAKT_TASK_IS_DORMANT);
    /* A cancelled activation chooses nothing. */
    begin(SLEEP);
    CHECK_IS(takt_task_activate_on(MOVER, 0), TAKT_OK);
    CHECK_IS(takt_task_cancel_activations(MOVER, &count), TAKT_OK);
    CHECK_IS(count, 1);
    CHECK_IS(takt_task_activate(MOVER), TAKT_OK);
    habit = RETURN;
    CHECK_IS(takt_task_wakeup(MOVER), TAKT_OK);
    wait_until_count(&steps, 4);
    CHECK_IS(begun_on, 1);
    wait_until_it(MOVER, TAKT_TASK_IS_DORMANT);
    /* An activation that has left the queue is not cancelled, although its core has not begun the
     * job yet. */
    for (unsigned i = 0; i < 5; i++) {
        CHECK_IS(takt_task_migrate(MOVER, 1), TAKT_OK);
        CHECK_IS(core_of(MOVER), 1);
        steps = 0;
        CHECK_IS(takt_task_activate_on(MOVER, 2), TAKT_OK);
        CHECK_IS(takt_task_cancel_activations(MOVER, &count), TAKT_OK);
        CHECK_IS(count, 0);
        wait_until_count(&steps, 2);
        CHECK_IS(begun_on, 2);
        wait_until_it(MOVER, TAKT_TASK_IS_DORMANT);
    }
    /* The call comes from a handler. */
    steps = 0;
    CHECK_IS(takt_alarm_start(TAKT_ALARM_handler, 0), TAKT_OK);
    wait_until_count(&handled, 1);
    wait_until_count(&steps, 2);
    CHECK_IS(begun_on, 2);
}

/* --- The state that a task keeps -------------------------------------------------------------- */

enum { JOURNEYS = 30 };

static _Thread_local uint32_t journeys;
static unsigned changed, wrong_core, arrived, computed;
static volatile bool enough;

static void travel(void) {
    uint32_t to = journeys++ % 3 + 1;
    takt_error result = takt_task_migrate(TAKT_TASK_traveller, to);
    __atomic_fetch_add(&wrong_core, result != TAKT_OK || takt_core_self() != to, __ATOMIC_RELAXED);
}

void traveller_job(intptr_t argument) {
    for (unsigned turn = 0; turn < JOURNEYS; turn++) {
        changed += registers_across(turn * UINT64_C(0x0123456789abcdef), travel, turn % 5 << 5);
    }
    changed += journeys != JOURNEYS;
    count_up(&arrived);
}

/* The task is moved in the meantime. */
void computer_job(intptr_t argument) {
    while (!enough) {
        unsigned changes = registers_spin(UINT64_C(0xfedcba9876543210), 200, 3u << 5 | 5);
        __atomic_fetch_add(&changed, changes, __ATOMIC_RELAXED);
        __atomic_fetch_add(&computed, 1, __ATOMIC_RELAXED);
    }
    count_up(&arrived);
}

static void comes_along(void) {
    CHECK_IS(core_of(TAKT_TASK_traveller), 3);
    CHECK_IS(takt_task_activate(TAKT_TASK_computer), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_traveller), TAKT_OK);
    for (unsigned i = 0; i < 2 * JOURNEYS || read_count(&arrived) == 0; i++) {
        CHECK_IS(takt_task_migrate(TAKT_TASK_computer, 2 + i % 2), TAKT_OK);
        takt_task_delay(37 * TAKT_MICROSECOND);
    }
    enough = true;
    wait_until_count(&arrived, 2);
    CHECK_IS(changed, 0);
    CHECK_IS(wrong_core, 0);
    CHECK(read_count(&computed) > 0);
}

void main_job(intptr_t argument) {
    errors();
    in_each_state();
    governed_there();
    leaves_late();
    jobs_elsewhere();
    comes_along();
    check_end();
}
