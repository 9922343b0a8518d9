/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/task.h. */
#include "core.h"
#include "object/class.h"
#include "object/user_spinlock.h"
#include "remote/migrate.h"
#include "remote/remote_call.h"
#include "sched/dispatch.h"
#include "sched/own_task.h"
#include "service.h"
#include "task/job.h"
#include "task/rights.h"
#include "task/wait.h"
#include "time/time.h"

/* When an activation of the task arrives: what the handler of a time event activates on its own
 * core, at the moment when the call was due, so that no delay of the call shortens the distance to
 * the next one. docs/design/services.md, "Handlers that time calls". Interrupts disabled. */
static takt_time arrival_of(const struct task *task) {
    takt_time due = core_here()->arrival;
    return due >= 0 && task_is_here(task) ? due : takt_time_now();
}

static takt_error activate(struct task *task, struct core *on, const char *service) {
    if (task->config->activation == TAKT_PERIODIC) {
        return record_refusal(TAKT_E_OBJ, service);
    }
    /* The activation's time and the activation are one step: no task of this core comes between. */
    if (cpu_locked()) {
        return record_refusal(TAKT_E_CTX, service);
    }
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = job_request(task, arrival_of(task), on);
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_task_activate(takt_id id) {
    return task_id_valid(id) ? activate(takt_tasks[id - 1], 0, __func__) : refused(TAKT_E_ID);
}

takt_error takt_task_activate_on(takt_id id, uint32_t core) {
    if (!task_id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (!control_given(TAKT_CONTROL_MIGRATE, id)) {
        return refused(TAKT_E_ILUSE);
    }
    struct core *on = migration_target(takt_tasks[id - 1], core);
    return on != 0 ? activate(takt_tasks[id - 1], on, __func__) : refused(TAKT_E_PAR);
}

/* Gives back what a job that returns still holds, one in each section with interrupts disabled. A
 * job that is to be ended, or that keeps its core, is not preempted any more: that one gives all
 * back in one section. Bound: what it holds. */
static void give_back_in_steps(struct task *task) {
    while (!task->stopping && task->ending == 0 && task->keeps_core == 0 &&
           class_give_back_one(task)) {
        dispatch();
        arch_interrupts_enable();
        arch_interrupts_disable();
    }
}

void takt_task_exit(void) {
    struct task *task = task_self();
    takt_assert(task->id != TAKT_ID_NONE);
    arch_interrupts_disable();
    user_spinlock_end(task->context.core);
    lock_watch_end(task->context.core);
    dispatch_watch_end(task);
    set_dispatch_disabled(task, false);
    give_back_in_steps(task);
    job_complete(task);
    remote_call_close_ending(task);
    dispatch_away();
}

/* Sleeps unless a wake-up has been counted already. */
static takt_error task_sleep(struct task *task, takt_time timeout) {
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = TAKT_OK;
    lock_acquire(&task->lock);
    bool waits = task->wakeups == 0 && timeout != 0;
    if (task->wakeups > 0) {
        task->wakeups--;
    } else if (waits) {
        task->sleeping = true;
    } else {
        result = TAKT_E_TMOUT;
    }
    lock_release(&task->lock);
    if (waits) {
        result = wait_begin(WAIT_SLEEP, timeout, TAKT_OBJECT_NONE, TAKT_ID_NONE);
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_task_sleep_for(takt_time timeout) {
    if (timeout < 0) {
        return refused(TAKT_E_PAR);
    }
    return wait_allowed() ? task_sleep(task_self(), timeout) : refused(TAKT_E_CTX);
}

takt_error takt_task_sleep(void) {
    return wait_allowed() ? task_sleep(task_self(), TAKT_FOR_EVER) : refused(TAKT_E_CTX);
}

takt_error takt_task_wakeup(takt_id id) {
    takt_error result = service_check(id, takt_task_count, true, 0);
    if (result != TAKT_OK) {
        return refused(result);
    }
    struct task *task = takt_tasks[id - 1];
    unsigned long interrupts = task_lock(task);
    bool wakes = task->sleeping;
    if (wakes) {
        task->sleeping = false;
    } else if (!task->active) {
        result = TAKT_E_OBJ;
    } else if (task->wakeups == TASK_WAKEUPS_MAX) {
        result = TAKT_E_QOVR;
    } else {
        task->wakeups++;
    }
    lock_release(&task->lock);
    if (wakes) {
        wait_end(task, TAKT_OK);
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_task_delay(takt_time duration) {
    if (duration < 0) {
        return refused(TAKT_E_PAR);
    }
    if (!wait_allowed()) {
        return refused(TAKT_E_CTX);
    }
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = wait_begin(WAIT_DELAY, duration, TAKT_OBJECT_NONE, TAKT_ID_NONE);
    arch_interrupts_restore(interrupts);
    return result;
}

takt_id takt_task_self(void) {
    return own_task();
}

takt_time takt_task_release_time(void) {
    return task_self()->release;
}
