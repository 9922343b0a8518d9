/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatching, and the execution of tasks. All with interrupts disabled. */
#ifndef KERNEL_DISPATCH_H
#define KERNEL_DISPATCH_H

#include "core.h"

/* Runs the task that should run now. Does nothing in a trap handler, whose end does it. */
void dispatch(void);

/* The same for a job that has ended: the caller is forgotten. */
_Noreturn void dispatch_away(void);

/* Counts the running task's execution up to now, which has called a service. */
void execution_account(struct core *core);

/* What the running task executes between both is not counted, and uses up no budget: it keeps the
 * core meanwhile, with interrupts enabled in between. */
struct execution_pause {
    uint64_t execution, execution_margin, budget;
};

void execution_pause(struct core *core, struct execution_pause *pause);
void execution_resume(struct core *core, const struct execution_pause *pause);

/* Lets the running task be preempted again; does not return if a call to end it has come.
 * Interrupts disabled. */
void task_enable_dispatch(struct task *task);

#endif
