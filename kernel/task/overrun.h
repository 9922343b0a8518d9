/* SPDX-License-Identifier: Apache-2.0 */
/* What follows when a job has used up its budget. On the task's core, interrupts disabled. */
#ifndef KERNEL_OVERRUN_H
#define KERNEL_OVERRUN_H

#include "core.h"

/* Checks the running job against its budget, in a timer interrupt; if it has used that up, calls
 * the handler and stops the job, as the description says. */
void overrun_check(struct core *core);

/* Ends the job for its overrun; the caller lets another task run. */
void overrun_stop(struct task *task);

#endif
