/* SPDX-License-Identifier: Apache-2.0 */
/* Refused calls are counted exactly. The run's notes, which tests/cases.toml lists, are the check.
 * Errors that a correct program expects do not count: those of `crowd`, whose core has no free
 * entry, would be in its last note. */
#include "check.h"

#include <takt/system_ids.h>

static unsigned ticks;

void tick_call(intptr_t argument) {
    if (ticks++ < 3) {
        CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_tokens), TAKT_E_CTX);
    }
}

void logger_job(intptr_t argument) {
    for (unsigned i = 0; i < 12; i++) {
        CHECK_IS(takt_mutex_lock(TAKT_MUTEX_shared), TAKT_E_ILUSE);
    }
    CHECK_IS(takt_mutex_try(TAKT_MUTEX_shared), TAKT_E_ILUSE);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(takt_semaphore_signal(99), TAKT_E_ID);
    }
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_tokens), TAKT_E_CTX);
    CHECK_IS(takt_task_suspend(TAKT_TASK_logger), TAKT_E_CTX); /* the call is refused */
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
}

static void eight_kinds(void) {
    CHECK_IS(takt_task_delay(-1), TAKT_E_PAR);
    CHECK_IS(takt_task_sleep_for(-1), TAKT_E_PAR);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_tokens, -1), TAKT_E_PAR);
    CHECK_IS(takt_calendar_set(INT64_MAX), TAKT_E_PAR);
    CHECK_IS(takt_semaphore_signal(0), TAKT_E_ID);
    CHECK_IS(takt_semaphore_reset(0), TAKT_E_ID);
    CHECK_IS(takt_task_terminate(TAKT_TASK_crowd), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_unlock(TAKT_MUTEX_shared), TAKT_E_ILUSE);
}

static void outcomes(void) {
    CHECK_IS(takt_semaphore_try(TAKT_SEMAPHORE_tokens), TAKT_E_TMOUT);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_tokens, 1000), TAKT_E_TMOUT);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_tokens), TAKT_OK);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_tokens), TAKT_E_QOVR);
    CHECK_IS(takt_semaphore_try(TAKT_SEMAPHORE_tokens), TAKT_OK);
    CHECK_IS(takt_task_sleep_for(0), TAKT_E_TMOUT);
    CHECK_IS(takt_task_resume(TAKT_TASK_main), TAKT_E_OBJ);
    CHECK_IS(takt_task_release_wait(TAKT_TASK_logger), TAKT_E_OBJ);
}

void crowd_job(intptr_t argument) {
    eight_kinds();
    outcomes();
    for (unsigned i = 0; i < 4; i++) {
        CHECK_IS(takt_task_wakeup(0), TAKT_E_ID);
    }
    CHECK_IS(takt_mutex_unlock(99), TAKT_E_ID);
    CHECK_IS(takt_mutex_unlock(99), TAKT_E_ID);
    eight_kinds(); /* these have their entries */
    CHECK_IS(takt_task_wakeup(TAKT_TASK_main), TAKT_OK);
}

void main_job(intptr_t argument) {
    CHECK_IS(takt_mutex_lock(TAKT_MUTEX_shared), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(TAKT_MUTEX_shared), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_logger), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_crowd), TAKT_OK);
    CHECK_IS(takt_task_sleep(), TAKT_OK);
    CHECK_IS(takt_task_delay(5 * TAKT_MILLISECOND), TAKT_OK);
    check_end();
}
