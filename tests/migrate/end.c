/* SPDX-License-Identifier: Apache-2.0 */
/* The machine ends while a task is about to migrate to the core of its next job, with an activation
 * queued. */
#include "check.h"

void mover_job(intptr_t argument) {
}

/* The departing task would leave at the end of the interrupt, which does not come. */
void end(intptr_t argument) {
    CHECK_IS(takt_task_activate_on(TAKT_TASK_mover, 1), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_mover), TAKT_OK);
    check_end();
}
