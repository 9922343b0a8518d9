/* SPDX-License-Identifier: Apache-2.0 */
/* A task's priority and its place among others. */
#ifndef KERNEL_TASK_PLACE_H
#define KERNEL_TASK_PLACE_H

#include "core.h"

/* Gives the task a priority, wherever it is; behind others of it, or before them. On the task's
 * core, interrupts disabled; does not dispatch. Bounded by those that wait where it waits. */
void task_place(struct task *task, uint8_t priority, bool before);

#endif
