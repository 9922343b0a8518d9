/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting and being woken: the part that all waits share. All with interrupts disabled. */
#ifndef KERNEL_WAIT_H
#define KERNEL_WAIT_H

#include "core.h"

/* Makes the running task wait, for at most `timeout`, and returns the result when it runs again.
 * WAIT_OBJECT: waiters_join has linked it. `class`, `id`: of the object, for the trace. */
takt_error wait_begin(enum task_wait wait, takt_time timeout, enum takt_record_object class,
                      takt_id id);

/* Ends a wait from any core, once for each wait. */
void wait_end(struct task *task, takt_error result);

/* The same without a dispatch; true if the task is of this core, and then may have to run. */
bool wait_end_one(struct task *task, takt_error result);

/* Expiry of a task's wait timer. */
void wait_expired(struct timer *timer);

/* Ends a wait on the task's own core. */
void wait_end_here(struct task *task);

/* Takes a waiting task out of what it waits for, on its own core; false when the wait has ended,
 * and a wake-up is posted before interrupts are enabled where that happened. `*granted`: it had
 * ended, and the wake-up would have come later: the caller wakes the task with TAKT_OK. */
bool wait_cancel(struct task *task, bool *granted);

/* Ends a wait on the task's own core before what it waits for comes; false if that has come: then
 * the task goes on with it. */
bool wait_break(struct task *task, takt_error result);

/* As wait_cancel, and if the wait has ended waits until that has arrived: then nothing is on its
 * way to the task; false if so. Bound: who ends the wait posts that before it enables interrupts,
 * and waits for locks only until then. */
bool wait_drop(struct task *task);

/* Ends the task's wait with TAKT_E_RLWAI, unless somebody has ended it; TAKT_E_OBJ: then, or it
 * does not wait. On the task's core; a function of a remote call. */
takt_error wait_release(struct task *task, intptr_t unused);

#endif
