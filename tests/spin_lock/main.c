/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of spin locks: errors, what a holder may do in tasks, handlers and hooks, and
 * what happens to a lock when its holder ends. */
#include "until.h"

static const takt_id one = TAKT_SPIN_LOCK_one, other = TAKT_SPIN_LOCK_other;

static bool is_held(takt_id lock) {
    struct takt_spin_lock_state state = {false};
    CHECK_IS(takt_spin_lock_state(lock, &state), TAKT_OK);
    return state.held;
}

/* Checks that no core holds the lock, and that the CPU is unlocked before and after. */
static void is_free(takt_id lock) {
    CHECK(!takt_cpu_locked());
    CHECK(!is_held(lock));
    CHECK_IS(takt_spin_lock_try(lock), TAKT_OK);
    CHECK(takt_cpu_locked());
    CHECK_IS(takt_spin_lock_release(lock), TAKT_OK);
    CHECK(!takt_cpu_locked());
}

void start_hook(intptr_t core) {
    CHECK_IS(takt_spin_lock_acquire(one), TAKT_OK); /* then the job ends */
}

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_SPIN_LOCKS + 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_spin_lock_acquire(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_spin_lock_try(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_spin_lock_release(wrong[i]), TAKT_E_ID);
    }
    CHECK_IS(takt_spin_lock_state(one, 0), TAKT_E_PAR);
    CHECK_IS(takt_spin_lock_release(one), TAKT_E_ILUSE);
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    CHECK_IS(takt_spin_lock_acquire(one), TAKT_E_CTX);
    CHECK_IS(takt_spin_lock_try(one), TAKT_E_CTX);
    CHECK_IS(takt_spin_lock_release(one), TAKT_E_ILUSE);
    CHECK(takt_cpu_locked());
    CHECK_IS(takt_cpu_unlock(), TAKT_OK);
    is_free(one);
}

static void holder(void) {
    CHECK_IS(takt_spin_lock_acquire(one), TAKT_OK);
    CHECK_IS(takt_spin_lock_acquire(one), TAKT_E_CTX);
    CHECK_IS(takt_spin_lock_acquire(other), TAKT_E_CTX);
    CHECK_IS(takt_spin_lock_try(other), TAKT_E_CTX);
    CHECK_IS(takt_spin_lock_release(other), TAKT_E_ILUSE);
    CHECK_IS(takt_task_activate(TAKT_TASK_part), TAKT_E_CTX);
    CHECK_IS(takt_task_delay(1), TAKT_E_CTX);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK); /* does nothing */
    CHECK(takt_cpu_locked());
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    CHECK_IS(takt_spin_lock_release(one), TAKT_OK);
    CHECK(!takt_cpu_locked());
    CHECK_IS(takt_spin_lock_release(one), TAKT_E_ILUSE);
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_spin_lock_acquire(one), TAKT_OK);
    CHECK_IS(takt_spin_lock_release(one), TAKT_OK);
    CHECK(takt_dispatch_disabled());
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    is_free(one);
}

/* --- In handlers ------------------------------------------------------------------------------ */

static unsigned handler_calls;
static bool handler_keeps;

void handler_job(intptr_t argument) {
    CHECK_IS(takt_spin_lock_acquire(one), TAKT_OK);
    CHECK_IS(takt_spin_lock_try(other), TAKT_E_CTX);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_main), TAKT_E_CTX);
    if (!handler_keeps) {
        CHECK_IS(takt_spin_lock_release(one), TAKT_OK);
        CHECK_IS(takt_spin_lock_release(one), TAKT_E_ILUSE);
        CHECK_IS(takt_spin_lock_try(other), TAKT_OK);
        CHECK_IS(takt_spin_lock_release(other), TAKT_OK);
    }
    count_up(&handler_calls);
}

/* The holder is not interrupted: interrupts that become due are served at the release. */
static void handlers(void) {
    unsigned calls = 0;
    for (int keeps = 0; keeps < 2; keeps++) {
        handler_keeps = keeps;
        CHECK_IS(takt_alarm_start(TAKT_ALARM_handler, 50 * TAKT_MICROSECOND), TAKT_OK);
        CHECK_IS(takt_spin_lock_acquire(one), TAKT_OK);
        unsigned before = read_count(&handler_calls); /* 1 more on a busy host */
        takt_time start = takt_time_now();
        while (takt_time_now() < start + 200 * TAKT_MICROSECOND) {
        }
        CHECK_IS(read_count(&handler_calls), before);
        CHECK_IS(takt_spin_lock_release(one), TAKT_OK);
        while (read_count(&handler_calls) == calls && takt_time_now() < start + TAKT_SECOND) {
        } /* and does not wait, which would enable interrupts */
        CHECK_IS(read_count(&handler_calls), ++calls);
        is_free(one);
    }
}

/* --- Two cores -------------------------------------------------------------------------------- */

enum { RELEASES, RETURNS, EXITS };

static unsigned has, go;
static int plan;

void part_job(intptr_t argument) {
    CHECK_IS(takt_spin_lock_acquire(one), TAKT_OK);
    count_up(&has);
    while (read_count(&go) < read_count(&has)) {
    }
    if (plan == RELEASES) {
        CHECK_IS(takt_spin_lock_release(one), TAKT_OK);
    } else if (plan == EXITS) {
        takt_task_exit();
    }
}

static void two_cores(void) {
    for (plan = RELEASES; plan <= EXITS; plan++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_part), TAKT_OK);
        wait_until_count(&has, (unsigned)plan + 1);
        CHECK(is_held(one));
        CHECK(!is_held(other));
        CHECK_IS(takt_spin_lock_try(one), TAKT_E_OBJ);
        CHECK(!takt_cpu_locked());
        CHECK_IS(takt_spin_lock_release(one), TAKT_E_ILUSE);
        is_free(other);
        count_up(&go);
        CHECK_IS(takt_spin_lock_acquire(one), TAKT_OK);
        CHECK_IS(takt_spin_lock_release(one), TAKT_OK);
        is_free(one);
    }
}

void main_job(intptr_t argument) {
    errors();
    holder();
    handlers();
    two_cores();
    check_end();
}
