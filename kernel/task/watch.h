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

/* A job is ready, and is watched from now on. */
void watch_begin(struct task *task);

/* The job is over. */
void watch_end(struct task *task);

/* The job completes: notes an overrun that no interrupt came to see. */
void watch_complete(struct task *task);

/* In a timer interrupt: whether the running job has used up its budget, and what follows. */
void watch_running(struct core *core);

/* Ends the job for its overrun; the caller lets another task run. */
void watch_stop(struct task *task);

/* The core's clock interrupts when the running task's budget is used up; after each change of
 * `running`, `running_since` or its execution. `margin`: how much of what is measured from here on
 * may be the kernel's; it is added to the budget, so that no job is found to have overrun that has
 * not, and taken off what the job has surely executed. docs/design/services.md, "Budgets and
 * deadlines". */
static inline void watch_arm(struct core *core, uint64_t margin) {
    struct task *task = core->running;
    uint64_t limit = UINT64_MAX;
    if (RIGHTS) {
        task->execution_margin += margin;
    }
    if (task->budget != 0) {
        task->budget += margin;
        uint64_t left = task->execution < task->budget ? task->budget - task->execution : 0;
        limit = core->running_since + left;
    }
    timers_limit(&core->timers, limit);
}

#endif
