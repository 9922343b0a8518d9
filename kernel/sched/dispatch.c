/* SPDX-License-Identifier: Apache-2.0 */
/* Which task runs on a core, and switching to it. All with interrupts disabled. */
#include "sched/dispatch.h"

#include "atomic.h"
#include "core.h"
#include "remote/inbox.h"
#include "remote/migrate.h"
#include "task/watch.h"
#include "time/time.h"

static struct task *heir(struct core *core) {
    if (core->dispatch_disabled) {
        return core->running;
    }
    struct task *first = ready_first(&core->ready);
    return first != 0 ? first : core->idle;
}

/* The running task's time up to now is its own. */
static void account(struct core *core, uint64_t ticks) {
    uint64_t spent = ticks - core->running_since;
    core->running_since = ticks;
    if (core->running == core->idle) {
        atomic_store_relaxed(&core->record->idle, core->record->idle + spent);
        atomic_store_relaxed(&core->idle_mark, core->record->idle << 1);
    } else {
        core->running->execution += spent;
    }
}

/* What `running` does from `running_since` on. `margin`: see watch_arm. */
static void begin(struct core *core, uint64_t margin) {
    watch_arm(core, margin);
    if (core->running == core->idle) {
        /* Release: the total; pairs with the acquire in idle_ticks (context.c). */
        atomic_store_release(&core->idle_mark,
                             (core->record->idle - core->running_since) << 1 | IDLE_MARK_IDLES);
    }
}

/* From here on `next` is the running task: the next trap saves into its block. */
static void make_running(struct core *core, struct task *next) {
    core->running = next;
    core->save = &next->context;
    record_event(core, TAKT_EVENT_DISPATCH, next->id, 0);
    begin(core, core->dispatch_margin);
}

void execution_account(struct core *core) {
    account(core, arch_ticks());
}

void execution_pause(struct core *core, struct execution_pause *pause) {
    struct task *task = core->running;
    account(core, arch_ticks());
    *pause = (struct execution_pause){.execution = task->execution,
                                      .execution_margin = task->execution_margin,
                                      .budget = task->budget};
    task->budget = 0;
    begin(core, 0);
}

void execution_resume(struct core *core, const struct execution_pause *pause) {
    struct task *task = core->running;
    task->execution = pause->execution;
    task->execution_margin = pause->execution_margin;
    task->budget = pause->budget;
    core->running_since = arch_ticks();
    begin(core, 0);
}

static void note_preemption(struct core *core) {
    const struct task *task = core->running;
    if (task->id != TAKT_ID_NONE && task->state == TASK_READY && !task->suspended &&
        task->context.core == core) {
        record_event(core, TAKT_EVENT_PREEMPT, core->running->id, 0);
    }
}

void dispatch(void) {
    MARK(dispatch);
    struct core *core = core_here();
    struct task *previous = core->running, *next = heir(core);
    if (task_self() == core->trap || next == previous) {
        return;
    }
    account(core, arch_ticks());
    note_preemption(core);
    make_running(core, next);
    context_switch(&previous->context, &next->context);
}

void dispatch_away(void) {
    struct core *core = core_here();
    struct task *next = heir(core);
    core->running_since = arch_ticks();
    make_running(core, next);
    context_load(&next->context);
}

void kernel_interrupt_enter(struct core *core) {
    uint64_t ticks = arch_ticks();
    if (core->nesting++ == 0) {
        account(core, ticks);
    } else {
        core->nested_since = ticks;
    }
    core->record->interrupts++;
}

/* A service routine goes on. */
static void leave_nested(struct core *core) {
    record_event(core, TAKT_EVENT_RESUME, TAKT_ID_NONE, core->serving);
    core->nested_ticks += arch_ticks() - core->nested_since;
    core->nested_margin += core->interruption_margin;
}

struct context *kernel_interrupt_leave(struct core *core, struct context *interrupted) {
    MARK(kernel_interrupt_leave);
    if (--core->nesting > 0) {
        leave_nested(core);
        return interrupted;
    }
    if (core->departing != 0) {
        migration_detach_all(core);
    }
    struct task *next = heir(core);
    core->running_since = arch_ticks();
    if (next != core->running) {
        note_preemption(core);
        make_running(core, next);
    } else {
        record_event(core, TAKT_EVENT_RESUME, next->id, 0);
        begin(core, core->interruption_margin);
    }
    record_sign_of_life(core);
    return &next->context;
}

void kernel_timer(struct core *core) {
    record_event(core, TAKT_EVENT_TIMER, TAKT_ID_NONE, 0);
    MARK(timer_answer);
    watch_running(core);
    timers_expire(&core->timers);
}

void kernel_ipi(struct core *core) {
    record_event(core, TAKT_EVENT_IPI, TAKT_ID_NONE, 0);
    kernel_spin(); /* parks when the machine is being stopped */
    inbox_answer(core);
}
