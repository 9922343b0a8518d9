/* SPDX-License-Identifier: Apache-2.0 */
/* Ending a wait for another reason than that what it is for has come: docs/design/services.md. On
 * the task's core, interrupts disabled. */
#ifndef KERNEL_WAIT_CANCEL_H
#define KERNEL_WAIT_CANCEL_H

#include "core.h"

/* Ends the wait of the task whose wait timer has expired: a delay is over, or a wait has taken too
 * long, unless its end is on the way. */
void wait_expired(struct timer *timer);

/* Takes a waiting task out of what it waits for, on its own core; returns false if the wait has
 * ended: then a wake-up is posted before interrupts are enabled where that happened. `*granted`: it
 * had ended, and the wake-up would have come later; the caller wakes the task with TAKT_OK. */
bool wait_cancel(struct task *task, bool *granted);

/* Ends a wait on the task's own core before what it waits for comes; returns false if that has
 * come: then the task goes on with it. */
bool wait_break(struct task *task, takt_error result);

/* Cancels the wait of a task of this core. If another core has ended it, spins until that core's
 * wake-up has arrived, so that none is on its way; returns false in that case. Bound: the other
 * core posts the wake-up before it enables interrupts, and waits for locks only until then. */
bool wait_drop(struct task *task);

/* Ends the task's wait with TAKT_E_RLWAI. Returns TAKT_E_OBJ if it does not wait, or if somebody
 * has ended the wait. On the task's core; a function of a remote call. */
takt_error wait_release(struct task *task, intptr_t unused);

#endif
