/* SPDX-License-Identifier: Apache-2.0 */
/* The machine ends while a task is to leave for the core of its job, and an activation waits. */
#include "check.h"

void mover_job(intptr_t argument) {
}

/* What departs leaves at the end of the interrupt, which does not come. */
void end(intptr_t argument) {
    CHECK_IS(takt_task_activate_on(TAKT_TASK_mover, 1), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_mover), TAKT_OK);
    check_end();
}
