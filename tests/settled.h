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

/* Activates a task; returns when the task waits or has ended: its core, as all others, has run the
 * task below. */
static inline void run_until_it_waits(takt_id task) {
    unsigned before = read_count(&settled), cores = takt_cores_used();
    CHECK_IS(takt_task_activate(task), TAKT_OK);
    for (unsigned core = 0; core < cores; core++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_settled_0 + core), TAKT_OK);
    }
    wait_until_count(&settled, before + cores);
}

#endif
