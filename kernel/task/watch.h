/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel watches of a job: its execution, against the task's budget, and its deadline.
 * docs/design/services.md, "Budgets and deadlines". All on the task's core, interrupts disabled. */
#ifndef KERNEL_WATCH_H
#define KERNEL_WATCH_H

#include "core.h"

/* Prepares a core. */
void watch_init_core(struct core *core);

/* Prepares a task. `order`: of its timer among equal times. */
void watch_init(struct task *task, uint32_t order);

/* Begins to watch a job that is ready. */
void watch_begin(struct task *task);

/* Ends the watch: the job is over. */
void watch_end(struct task *task);

/* Notes an overrun that no interrupt came to see: the job completes. */
void watch_complete(struct task *task);

/* Returns whether the job has used up its budget, once a job. */
bool watch_overruns(struct task *task);

#endif
