/* SPDX-License-Identifier: Apache-2.0 */
/* What the rest of the kernel asks of the classes of objects. class.c is the one place that knows
 * them all; a class has a line in it only where it differs from a plain queue. On the core of the
 * task, interrupts disabled; none of these dispatches. */
#ifndef KERNEL_CLASS_H
#define KERNEL_CLASS_H

#include "core.h"

/* Takes a waiting task out of its object's queue, unless somebody has; returns whether it did.
 * `*granted`: its wait had ended before, and the caller wakes it with TAKT_OK. */
bool class_cancel_wait(struct task *task, bool *granted);

/* Gives back one of the objects that the task's job holds; false if it holds none. Bound: the
 * longest of the classes' own. */
bool class_give_back_one(struct task *task);

/* Gives back all that the job holds, at its end. Bound: what it holds. */
void class_give_back_all(struct task *task);

/* Notes what was handed to a job that is ended before it has run again, and is lost with it;
 * nothing if the job `waits`. */
void class_note_lost(struct task *task, bool waits);

/* Returns a task that holds the object, TAKT_ID_NONE: none is known. At the end of the run. */
takt_id class_holder(enum takt_record_object class, takt_id id);

#endif
