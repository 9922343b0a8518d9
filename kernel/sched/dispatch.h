/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatching, and the execution of tasks. All with interrupts disabled. */
#ifndef KERNEL_DISPATCH_H
#define KERNEL_DISPATCH_H

#include "atomic.h"
#include "core.h"

/* Runs the task that should run now. Does nothing in a trap handler, whose end does it. */
void dispatch(void);

/* Does so where `next` is that task and does not run, in a service that `self` has called with
 * interrupts enabled: what the service calls last. Enables them and returns TAKT_OK to its caller.
 */
takt_error dispatch_last(struct core *core, struct task *self, struct task *next);

/* Does so for a job that has ended: the caller is forgotten. */
_Noreturn void dispatch_away(void);

/* Returns the context that should run when the outermost interrupt ends. */
struct context *dispatch_resume(struct core *core);

/* Counts the time up to `ticks`, which are now, as the running task's. */
static inline void execution_account(struct core *core, uint64_t ticks) {
    uint64_t spent = ticks - core->running_since;
    core->running_since = ticks;
    if (core->running == core->idle) {
        atomic_store_relaxed(&core->record->idle, core->record->idle + spent);
        atomic_store_relaxed(&core->idle_mark, core->record->idle << 1);
    } else {
        core->running->execution += spent;
    }
}

/* Pauses the count of what the running task executes, which uses up no budget either; the task
 * keeps the core meanwhile, with interrupts enabled in between. */
struct execution_pause {
    uint64_t execution, execution_margin, budget;
};

void execution_pause(struct core *core, struct execution_pause *pause);
void execution_resume(struct core *core, const struct execution_pause *pause);

/* Lets the running task be preempted again; does not return if a call to end it has come.
 * Interrupts disabled. */
void task_enable_dispatch(struct task *task);

#endif
