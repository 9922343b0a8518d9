/* SPDX-License-Identifier: Apache-2.0 */
/* Which task runs on a core, and switching to it. All with interrupts disabled. */
#include "sched/dispatch.h"

#include "atomic.h"
#include "core.h"
#include "partition/partition.h"
#include "record/event.h"
#include "time/time.h"

static struct task *heir(struct core *core) {
    if (core->dispatch_disabled) {
        return core->running;
    }
    if (core_throttled(core)) {
        return core->idle;
    }
    struct task *first = ready_first(core_open(core));
    return first != 0 ? first : core->idle;
}

/* Lets the core's clock interrupt when the running task's budget is used up; after each change of
 * `running`, `running_since` or its execution. `margin`: how much of what is measured from here on
 * may be the kernel's; it is added to the budget, so that no job is found to have overrun that has
 * not, and taken off what the job has surely executed. docs/design/services.md, "Budgets and
 * deadlines". */
static void arm(struct core *core, uint64_t margin) {
    struct task *task = core->running;
    uint64_t limit = UINT64_MAX;
    if (RIGHTS) {
        task->execution_margin += margin;
    }
    if (!BUDGETS) {
        return;
    }
    if (task->budget != 0) {
        task->budget += margin;
        uint64_t left = task->execution < task->budget ? task->budget - task->execution : 0;
        limit = core->running_since + left;
    }
    timers_limit(&core->timers, limit);
}

/* Begins to count what `running` does, from `running_since` on. `margin`: as above. */
static void charge_begin(struct core *core, uint64_t margin) {
    arm(core, margin);
    if (core->running == core->idle) {
        /* Release: the total; pairs with the acquire in idle_ticks (context.c). */
        atomic_store_release(&core->idle_mark,
                             (core->record->idle - core->running_since) << 1 | IDLE_MARK_IDLES);
    }
}

/* Makes `next` the running task: the next trap saves into its block. */
static void make_running(struct core *core, struct task *next) {
    core->running = next;
    core->save = &next->context;
    partition_enter(next);
    event_dispatch(core, next->id);
    charge_begin(core, core->dispatch_margin);
}

void execution_pause(struct core *core, struct execution_pause *pause) {
    struct task *task = core->running;
    execution_account(core, arch_ticks());
    *pause = (struct execution_pause){.execution = task->execution,
                                      .execution_margin = task->execution_margin,
                                      .budget = task->budget};
    task->budget = 0;
    task->paused = true;
    charge_begin(core, 0);
}

void execution_resume(struct core *core, const struct execution_pause *pause) {
    struct task *task = core->running;
    task->execution = pause->execution;
    task->execution_margin = pause->execution_margin;
    task->budget = pause->budget;
    task->paused = false;
    core->running_since = arch_ticks();
    charge_begin(core, 0);
}

static void note_preemption(struct core *core) {
    const struct task *task = core->running;
    if (task->id != TAKT_ID_NONE && task->state == TASK_READY && !task->suspended &&
        task->context.core == core) {
        event_preempt(core, core->running->id);
    }
}

void dispatch(void) {
    MARK(dispatch);
    struct core *core = core_here();
    if (task_self() == core->trap) {
        return;
    }
    struct task *previous = core->running, *next = heir(core);
    if (next == previous) {
        return;
    }
    /* The caller is a task: of the start hook, which the idle context calls, the heir is that. */
    uint64_t ticks = arch_ticks();
    previous->execution += ticks - core->running_since;
    core->running_since = ticks;
    note_preemption(core);
    make_running(core, next);
    context_switch(&previous->context, &next->context);
}

takt_error dispatch_last(struct core *core, struct task *self, struct task *next) {
    MARK(dispatch);
    uint64_t ticks = arch_ticks();
    self->execution += ticks - core->running_since;
    core->running_since = ticks;
    note_preemption(core);
    make_running(core, next);
    return context_switch_last(&self->context, &next->context);
}

void dispatch_away(void) {
    struct core *core = core_here();
    struct task *next = heir(core);
    core->running_since = arch_ticks();
    make_running(core, next);
    context_load(&next->context);
}

struct context *dispatch_resume(struct core *core) {
    struct task *next = heir(core);
    core->running_since = arch_ticks();
    if (next != core->running) {
        note_preemption(core);
        make_running(core, next);
    } else {
        event_resume(core, next->id, TAKT_ID_NONE);
        charge_begin(core, core->interruption_margin);
    }
    return &next->context;
}
