/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting and being woken: the part that all waits share. All with interrupts disabled. */
#ifndef KERNEL_WAIT_H
#define KERNEL_WAIT_H

#include "core.h"

/* Makes the running task wait, for at most `timeout`, and returns the result when it runs again.
 * WAIT_OBJECT, WAIT_HELD: waiters_join has linked it. `class`, `id`: of the object, for the trace.
 */
takt_error wait_begin(enum task_wait wait, takt_time timeout, enum takt_record_object class,
                      takt_id id);

/* Ends a wait from any core, once for each wait. */
void wait_end(struct task *task, takt_error result);

/* Does the same without a dispatch; returns whether the task is of this core, and then may have to
 * run. */
bool wait_end_one(struct task *task, takt_error result);

/* Ends a wait on the task's own core. */
void wait_end_here(struct task *task);

#endif
