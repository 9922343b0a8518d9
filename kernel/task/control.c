/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/task.h with which one task governs another. The functions without
 * `takt_` run on the core that owns the task, with interrupts disabled. */
#include "core.h"
#include "object/mutex_inherit.h"
#include "partition/partition.h"
#include "record/event.h"
#include "remote/migrate.h"
#include "remote/remote_call.h"
#include "remote/request.h"
#include "sched/dispatch.h"
#include "service.h"
#include "task/job.h"
#include "task/rights.h"
#include "task/wait_cancel.h"

/* Checks a call that changes a task: its ID, and whether the description gives the caller that. */
static takt_error control_check(takt_id id, enum takt_control control) {
    if (!task_id_valid(id)) {
        return TAKT_E_ID;
    }
    return control_given(control, id) ? TAKT_OK : TAKT_E_ILUSE;
}

static takt_error terminate(struct task *task, intptr_t unused) {
    struct core *core = task->context.core;
    if (job_none(task) || partition_works(task)) {
        return TAKT_E_OBJ;
    }
    if (core->running == task && core->dispatch_disabled) {
        return REMOTE_CALL_LATER;
    }
    enum takt_record_ended wait = TAKT_ENDED_AWAKE; /* for the record */
    if (task->state == TASK_WAITING) {
        wait = wait_drop(task) ? TAKT_ENDED_WAITING : TAKT_ENDED_WOKEN;
    }
    job_abort(task, wait);
    return TAKT_OK;
}

takt_error takt_task_terminate(takt_id id) {
    takt_error error = control_check(id, TAKT_CONTROL_TERMINATE);
    if (error != TAKT_OK || id == takt_task_self()) {
        return refused(error != TAKT_OK ? error : TAKT_E_ILUSE);
    }
    return remote_call_result(remote_call_late(takt_tasks[id - 1], terminate), __func__);
}

/* Does as `terminate`, but nobody waits: a task that may not be ended now is ended when it may. */
static takt_error request_termination(struct task *task, intptr_t unused) {
    struct core *core = task->context.core;
    if (job_none(task)) {
        return TAKT_E_OBJ;
    }
    if (task->termination_disabled || (core->running == task && core->dispatch_disabled)) {
        task->termination_requested = true;
        return TAKT_OK;
    }
    return terminate(task, unused);
}

takt_error takt_task_request_termination(takt_id id) {
    takt_error error = control_check(id, TAKT_CONTROL_TERMINATE);
    if (error != TAKT_OK || id == takt_task_self()) {
        return refused(error != TAKT_OK ? error : TAKT_E_ILUSE);
    }
    return remote_call_result(remote_call(takt_tasks[id - 1], request_termination, 0, 0), __func__);
}

takt_error takt_termination_disable(void) {
    struct task *task = task_self();
    if (task->id == TAKT_ID_NONE || cpu_locked()) {
        return refused(TAKT_E_CTX);
    }
    unsigned long interrupts = arch_interrupts_disable();
    task->termination_disabled = true;
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_termination_enable(void) {
    struct task *task = task_self();
    if (task->id == TAKT_ID_NONE || cpu_locked()) {
        return refused(TAKT_E_CTX);
    }
    unsigned long interrupts = arch_interrupts_disable();
    task->termination_disabled = false;
    /* With dispatch disabled, takt_dispatch_enable ends the job. */
    if (task->termination_requested && !task->context.core->dispatch_disabled) {
        execution_account(task->context.core, arch_ticks());
        job_abort(task, TAKT_ENDED_AWAKE);
        remote_call_close_ending(task);
        dispatch_away();
    }
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

bool takt_termination_disabled(void) {
    struct task *task = task_self();
    return task->id == TAKT_ID_NONE || task->termination_disabled;
}

static takt_error suspend(struct task *task, intptr_t unused) {
    struct core *core = task->context.core;
    if (job_none(task)) {
        return TAKT_E_OBJ;
    }
    if (task->suspended) {
        return TAKT_E_QOVR;
    }
    if (task == task_self() && core->dispatch_disabled) {
        return TAKT_E_CTX;
    }
    if (task->state == TASK_READY) {
        ready_remove(ready_queue_of(core, task), task);
    }
    task->suspended = true;
    event_suspend(core, task->id);
    return TAKT_OK;
}

takt_error takt_task_suspend(takt_id id) {
    takt_error error = control_check(id, TAKT_CONTROL_SUSPEND);
    if (error != TAKT_OK) {
        return refused(error);
    }
    return remote_call_result(remote_call(takt_tasks[id - 1], suspend, 0, 0), __func__);
}

static takt_error resume(struct task *task, intptr_t unused) {
    struct core *core = task->context.core;
    if (job_none(task) || !task->suspended) {
        return TAKT_E_OBJ;
    }
    task->suspended = false;
    if (task->state == TASK_READY) {
        ready_insert(ready_queue_of(core, task), task);
    }
    event_unsuspend(core, task->id);
    return TAKT_OK;
}

takt_error takt_task_resume(takt_id id) {
    takt_error error = control_check(id, TAKT_CONTROL_SUSPEND);
    if (error != TAKT_OK) {
        return refused(error);
    }
    return remote_call_result(remote_call(takt_tasks[id - 1], resume, 0, 0), __func__);
}

/* Ends the wait in a handler, whose core cannot wait for another's answer: for a task of this core
 * at once, for another by a request. Interrupts disabled or, in a service routine, not. */
static takt_error release_wait_in_handler(struct task *task) {
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = TAKT_OK;
    if (task_is_here(task)) {
        result = wait_release(task, 0);
    } else {
        lock_acquire(&task->lock);
        if (task->active) {
            request_post_release_wait(task);
        } else {
            lock_release(&task->lock);
            result = TAKT_E_OBJ;
        }
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_task_release_wait(takt_id id) {
    takt_error error = control_check(id, TAKT_CONTROL_TERMINATE);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct task *task = takt_tasks[id - 1];
    if (task_self()->id == TAKT_ID_NONE && !cpu_locked()) {
        return release_wait_in_handler(task);
    }
    return remote_call_result(remote_call(task, wait_release, 0, 0), __func__);
}

static takt_error change_priority(struct task *task, intptr_t priority) {
    if (job_none(task)) {
        return TAKT_E_OBJ;
    }
    if (mutex_violates_ceiling(task, (uint8_t)priority)) {
        return TAKT_E_ILUSE;
    }
    mutex_rebase(task, (uint8_t)priority);
    return TAKT_OK;
}

takt_error takt_task_set_priority(takt_id id, unsigned priority) {
    if (!task_id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (priority > READY_LEVELS) {
        return refused(TAKT_E_PAR);
    }
    if (!control_given(TAKT_CONTROL_PRIORITY, id)) {
        return refused(TAKT_E_ILUSE);
    }
    unsigned described = takt_task_configs[id - 1].priority;
    intptr_t wanted = (intptr_t)(priority == TAKT_PRIORITY_INITIAL ? described : priority);
    return remote_call_result(remote_call(takt_tasks[id - 1], change_priority, wanted, wanted),
                              __func__);
}

/* Lets the task go, on the owner. One that has disabled dispatch goes when it enables it, or its
 * job ends. */
static takt_error migrate(struct task *task, intptr_t to) {
    struct core *core = core_here();
    bool stays = core->running == task && core->dispatch_disabled;
    if (stays && task == task_self()) {
        return TAKT_E_CTX;
    }
    task->destination = (struct core *)to != core ? (struct core *)to : 0;
    if (task->destination != 0 && !stays) {
        migration_request(task);
    }
    return TAKT_OK;
}

takt_error takt_task_migrate(takt_id id, uint32_t core) {
    takt_error error = control_check(id, TAKT_CONTROL_MIGRATE);
    if (error != TAKT_OK) {
        return refused(error);
    }
    intptr_t to = (intptr_t)migration_target(takt_tasks[id - 1], core);
    if (to == 0) {
        return refused(TAKT_E_PAR);
    }
    return remote_call_result(remote_call(takt_tasks[id - 1], migrate, to, to), __func__);
}

/* The priority of a task of another core is what it was at some moment of the call: nothing is
 * locked, as one word has the answer, and another whether there is a job. */
takt_error takt_task_priority(takt_id id, unsigned *priority) {
    takt_error error = service_check(id, takt_task_count, priority != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct task *task = takt_tasks[id - 1];
    /* Relaxed, both: each is what it was at some moment of the call, and orders nothing. */
    if (!__atomic_load_n(&task->active, __ATOMIC_RELAXED)) {
        return TAKT_E_OBJ;
    }
    *priority = __atomic_load_n(&task->priority, __ATOMIC_RELAXED);
    return TAKT_OK;
}

takt_error takt_task_cancel_activations(takt_id id, unsigned *cancelled) {
    takt_error error = service_check(id, takt_task_count, cancelled != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct task *task = takt_tasks[id - 1];
    unsigned long interrupts = task_lock(task);
    *cancelled = task->queue_count;
    task->queue_count = 0;
    task->next_core = 0;
    lock_release(&task->lock);
    event_unqueue(core_here(), id, *cancelled);
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_task_cancel_wakeups(takt_id id, unsigned *cancelled) {
    takt_error error = service_check(id, takt_task_count, cancelled != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct task *task = takt_tasks[id - 1];
    unsigned long interrupts = task_lock(task);
    bool active = task->active;
    if (active) {
        *cancelled = task->wakeups;
        task->wakeups = 0;
    }
    task_unlock(task, interrupts);
    return active ? TAKT_OK : TAKT_E_OBJ;
}
