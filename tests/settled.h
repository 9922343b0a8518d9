/* SPDX-License-Identifier: Apache-2.0 */
/* Letting a task run until it waits. The description has a task `settled_0`, `settled_1`, ... of
 * each core that is used, in this order, with the entry `settled_job` and below all others of its
 * core: it runs when none of them can. */
#ifndef TESTS_SETTLED_H
#define TESTS_SETTLED_H

#include "until.h"

static unsigned settled;

void settled_job(intptr_t argument) {
    count_up(&settled);
}

/* Activates a task; returns when the task waits or has ended. */
static inline void run_until_it_waits(takt_id task) {
    struct takt_task_state state = {.core = 0};
    unsigned before = read_count(&settled);
    CHECK_IS(takt_task_state(task, &state), TAKT_OK);
    CHECK_IS(takt_task_activate(task), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_settled_0 + state.core), TAKT_OK);
    wait_until_count(&settled, before + 1);
}

#endif
