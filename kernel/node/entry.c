/* SPDX-License-Identifier: Apache-2.0 */
/* The entries from arch of a node: each interrupt ends with the latest decision. */
#include "entry.h"

#include "lock/spinlock.h"
#include "node/node.h"
#include "node/transport.h"
#include "record/event.h"
#include "sched/dispatch.h"

uint64_t kernel_interrupt_enter(struct core *core) {
    uint64_t ticks = arch_ticks();
    core->nesting++;
    execution_account(core, ticks);
    core->record->interrupts++;
    return ticks;
}

struct context *kernel_interrupt_leave(struct core *core, struct context *interrupted) {
    MARK(kernel_interrupt_leave);
    core->nesting--;
    /* A decision that was taken with an answer names who runs already. */
    struct task *next = node_latest(core);
    if (next != core->running) {
        node_note_preemption(core);
        node_run(core, next);
    } else {
        event_resume(core, next->id, TAKT_ID_NONE);
    }
    core->running_since = arch_ticks();
    record_sign_of_life(core, arch_ticks());
    return &next->context;
}

void kernel_timer(struct core *core, uint64_t ticks) {
    event_timer(core, TAKT_ID_NONE);
    MARK(timer_answer);
    timers_expire(&core->timers, ticks);
}

void kernel_ipi(struct core *core) {
    event_ipi(core, TAKT_ID_NONE);
    kernel_spin(); /* parks when the machine is being stopped */
    MARK(inbox_answer);
    transport_interrupted(core);
}
