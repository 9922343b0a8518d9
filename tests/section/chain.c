/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of tasks: each holds a mutex with inheritance and waits for that of the task before. A
 * request for the last mutex raises the priority of all tasks in one section; a timeout of that
 * request lowers them again. */
#include "kind.h"
#include "watch.h"

/* On the board `virt` a link takes 0.35 us. */
enum { QUICK = 3 * TAKT_MICROSECOND + LINKS * (TAKT_MICROSECOND / 2) };

static unsigned holding;

void link_job(intptr_t link) {
    CHECK_IS(takt_mutex_lock((takt_id)link), TAKT_OK);
    count_up(&holding);
    if (link == 1) {
        takt_task_sleep();
    } else {
        CHECK_IS(takt_mutex_lock((takt_id)link - 1), TAKT_OK);
        CHECK_IS(takt_mutex_unlock((takt_id)link - 1), TAKT_OK);
    }
    CHECK_IS(takt_mutex_unlock((takt_id)link), TAKT_OK);
}

/* A task above the chain: its request raises all tasks of the chain, and its timeout lowers them.
 */
void caller_job(intptr_t argument) {
    while (read_count(&watched) < 50) {
        CHECK_IS(takt_mutex_lock_for(LINKS, 20 * TAKT_MICROSECOND), TAKT_E_TMOUT);
    }
    CHECK_IS(takt_task_wakeup(TAKT_TASK_link_1), TAKT_OK);
    CHECK_IS(takt_mutex_lock(LINKS), TAKT_OK); /* by all tasks of the chain, one after the other */
    CHECK_IS(takt_mutex_unlock(LINKS), TAKT_OK);
    watch_check(QUICK);
    check_end();
}

void main_job(intptr_t argument) {
    for (unsigned i = 0; i < LINKS; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_link_1 + i), TAKT_OK);
        wait_until_count(&holding, i + 1);
    }
    takt_task_delay(TAKT_MILLISECOND);
    count_up(&watching);
    CHECK_IS(takt_task_activate(TAKT_TASK_caller), TAKT_OK);
}
