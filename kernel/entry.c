/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

#include "bandwidth/regulator.h"
#include "record/event.h"
#include "remote/inbox.h"
#include "remote/migrate.h"
#include "sched/dispatch.h"
#include "task/overrun.h"

uint64_t kernel_interrupt_enter(struct core *core) {
    uint64_t ticks = arch_ticks();
    if (__builtin_expect(core->nesting++ == 0, 1)) {
        execution_account(core, ticks);
    } else {
        core->nested_since = ticks;
    }
    core->record->interrupts++;
    return ticks;
}

/* Lets a service routine go on. */
static void leave_nested(struct core *core) {
    event_resume(core, TAKT_ID_NONE, core->serving);
    core->nested_ticks += arch_ticks() - core->nested_since;
    core->nested_margin += core->interruption_margin;
}

struct context *kernel_interrupt_leave(struct core *core, struct context *interrupted) {
    MARK(kernel_interrupt_leave);
    if (__builtin_expect(--core->nesting > 0, 0)) {
        leave_nested(core);
        return interrupted;
    }
    if (MIGRATES && core->departing != 0) {
        migration_detach_all(core);
    }
    struct context *next = dispatch_resume(core);
    record_sign_of_life(core, core->running_since);
    return next;
}

void kernel_timer(struct core *core, uint64_t ticks) {
    event_timer(core, TAKT_ID_NONE);
    MARK(timer_answer);
    overrun_check(core);
    timers_expire(&core->timers, ticks);
}

#if REGULATED
void kernel_overflow(struct core *core) {
    regulator_overflow(core);
}
#endif

void kernel_ipi(struct core *core) {
    event_ipi(core, TAKT_ID_NONE);
    kernel_spin(); /* parks when the machine is being stopped */
    inbox_answer(core);
}
