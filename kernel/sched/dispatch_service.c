/* SPDX-License-Identifier: Apache-2.0 */
/* The services that keep a task's core: dis_dsp, ena_dsp. */
#include "core.h"
#include "record/event.h"
#include "remote/migrate.h"
#include "remote/remote_call.h"
#include "sched/dispatch.h"
#include "task/job.h"
#include "task/overrun.h"
#include "task/rights.h"

takt_error takt_dispatch_disable(void) {
    struct task *task = task_self();
    if (task->id == TAKT_ID_NONE || cpu_locked()) {
        return refused(TAKT_E_CTX);
    }
    if (!right_given(task->config->dispatch_disable)) {
        return refused(TAKT_E_ILUSE);
    }
    unsigned long interrupts = arch_interrupts_disable();
    dispatch_watch(task);
    set_dispatch_disabled(task, true);
    event_dispatch_disable(task->context.core, task->id);
    task->kept_before = true; /* when a mutex that keeps the core is given back */
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

void task_enable_dispatch(struct task *task) {
    set_dispatch_disabled(task, false);
    event_dispatch_enable(task->context.core, task->id);
    bool ends = task->termination_requested && !task->termination_disabled;
    if (task->stopping || task->ending != 0 || ends) {
        execution_account(task->context.core, arch_ticks());
        if (task->stopping) {
            overrun_stop(task);
        } else {
            job_abort(task, TAKT_ENDED_AWAKE);
        }
        remote_call_close_ending(task);
        dispatch_away();
    }
    if (MIGRATES && task->destination != 0) {
        migration_request(task);
    }
    dispatch();
}

takt_error takt_dispatch_enable(void) {
    struct task *task = task_self();
    if (task->id == TAKT_ID_NONE || cpu_locked()) {
        return refused(TAKT_E_CTX);
    }
    if (task->keeps_core != 0) {
        return refused(TAKT_E_ILUSE);
    }
    unsigned long interrupts = arch_interrupts_disable();
    dispatch_watch_end(task);
    task_enable_dispatch(task);
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

bool takt_dispatch_disabled(void) {
    unsigned long interrupts = arch_interrupts_disable(); /* else the task may migrate meanwhile */
    bool disabled = core_here()->dispatch_disabled;
    arch_interrupts_restore(interrupts);
    return disabled;
}
