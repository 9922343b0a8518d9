/* SPDX-License-Identifier: Apache-2.0 */
/* Traps, on the core's trap stack: interrupts go to the kernel, all else ends the machine. */
#include "arch.h"
#include "core.h"
#include "entry.h"
#include "interrupt/interrupt.h"
#include "page_table.h"
#include "partition/health.h"
#include "remote/migrate.h"
#include "system.h"

static bool in_guard(uintptr_t address, const uint8_t *stack_limit) {
    return address < (uintptr_t)stack_limit && address >= (uintptr_t)stack_limit - PAGE_SIZE;
}

/* The region that an address lies in, null: none. Bound: the regions. */
static const struct takt_region *region_of(uintptr_t address) {
    for (uint32_t i = 0; i < takt_region_count; i++) {
        if (address >= takt_regions[i].start && address < takt_regions[i].end) {
            return &takt_regions[i];
        }
    }
    return 0;
}

/* The stack that a fault's code ran on has overflowed; null: it has not. */
static const char *overflow(const struct core *core, const struct context *context,
                            uintptr_t address) {
    const struct task *task = core->running;
    if (context == &core->trap->context || core->nesting > 0) {
        return in_guard(address, core->config->trap_stack_limit) ? "trap stack overflow" : 0;
    }
    if (task == core->idle) {
        return in_guard(address, core->config->idle_stack_limit) ? "idle stack overflow" : 0;
    }
    return in_guard(address, task->config->stack_limit) ? "stack overflow" : 0;
}

/* Returns the words for a cause. */
static const char *cause_name(unsigned long cause) {
    static const char *const names[] = {
        [0] = "misaligned jump",  [1] = "fetch from no memory",  [2] = "illegal instruction",
        [3] = "breakpoint",       [4] = "misaligned load",       [5] = "load from no memory",
        [6] = "misaligned store", [7] = "store to no memory",    [8] = "call from user mode",
        [12] = "jump to no code", [13] = "load from no mapping", [15] = "store to no mapping",
    };
    const char *name = cause < sizeof names / sizeof *names ? names[cause] : 0;
    return name != 0 ? name : "unexpected trap";
}

/* What a fault means, in the words of its cause. */
static const char *describe(const struct core *core, const struct context *context,
                            unsigned long cause, uintptr_t address) {
    bool is_access = cause == SCAUSE_LOAD_PAGE_FAULT || cause == SCAUSE_STORE_PAGE_FAULT;
    const char *stack = is_access ? overflow(core, context, address) : 0;
    if (stack != 0 || context == &core->trap->context) {
        return stack != 0 ? stack : "fault in the kernel's trap handler";
    }
    const struct takt_region *region = region_of(address);
    if (cause == SCAUSE_STORE_PAGE_FAULT && region != 0) {
        return region->permissions & TAKT_EXECUTE ? "write to code" : "write to constants";
    }
    return cause_name(cause);
}

/* A trap from here on is a fault of the handler: it saves into the trap storage, and runs on the
 * idle stack, as it never returns. */
static void expect_faults(struct core *core) {
    core->save = &core->trap->context;
    core->trap_sp = core->fault_sp;
}

void arch_call_interruptible(struct core *core, void (*function)(intptr_t), intptr_t argument) {
    struct context interrupted; /* where a trap from the function saves: no more than this is set */
    interrupted.core = core;
    core->save = &interrupted;
    core->trap_sp = 0;
    unsigned long floats = arch_float_disable();
    arch_interrupts_enable();
    function(argument);
    arch_interrupts_disable();
    arch_float_restore(floats);
    expect_faults(core);
}

/* Lets the partition of the running task answer for a trap that user mode has caused. */
static void handle_fault(struct core *core, const struct context *context, unsigned long cause,
                         uintptr_t value) {
    bool is_page = cause == SCAUSE_FETCH_PAGE_FAULT || cause == SCAUSE_LOAD_PAGE_FAULT ||
                   cause == SCAUSE_STORE_PAGE_FAULT;
    bool is_memory = is_page || cause == 1 || cause == 5 || cause == 7;
    const uint8_t *limit = partition_task(core->running)->stack_limit;
    enum takt_partition_error error = is_page && in_guard(value, limit) ? TAKT_STACK_OVERFLOW
                                      : is_memory                       ? TAKT_MEMORY_VIOLATION
                                                                        : TAKT_ILLEGAL_REQUEST;
    health_fault(core, error, cause_name(cause), value, context->x[0]);
}

/* `ticks`: at which the interrupt began. */
static void handle(struct core *core, unsigned long cause, uint64_t ticks) {
    if (cause == SCAUSE_TIMER) {
        kernel_timer(core, ticks);
    } else if (DISTRIBUTED && cause == SCAUSE_EXTERNAL) {
        kernel_device(core);
#if REGULATED
    } else if (cause == SCAUSE_OVERFLOW) {
        kernel_overflow(core);
#endif
    } else {
        csr_clear(sip, SIE_SOFTWARE); /* before the inbox is read: a later post interrupts again */
        __asm__ volatile("fence o, rw" ::: "memory");
        kernel_ipi(core);
    }
}

/* Tasks leave for other cores: what was interrupted may be one of them, and may run there before
 * this returns, so nothing here touches it any more. */
static void let_go(struct core *core, struct context *interrupted, struct context *next) {
    if (next != interrupted) {
        context_keep(interrupted);
    }
    migration_send_all(core);
    if (next != interrupted) {
        context_load(next);
    }
}

/* Returns the context that runs next. */
static struct context *interrupt(struct core *core, struct context *context, unsigned long cause) {
    uint64_t ticks = kernel_interrupt_enter(core);
    if (PARTITIONS && !(cause & SCAUSE_INTERRUPT)) {
        handle_fault(core, context, cause, csr_read(stval));
    } else {
        handle(core, cause, ticks);
    }
    struct context *next = kernel_interrupt_leave(core, context);
    core->trap_sp = core->nesting > 0 ? 0 : (uintptr_t)core->config->trap_stack_top;
    core->save = next;
    if (DISTRIBUTED && MIGRATES && core->departing != 0 && core->nesting == 0) {
        let_go(core, context, next);
    }
    return next;
}

/* What has ended the idle task's sleep, one interrupt; the others trap as soon as they may. The
 * order is that of traps. Returns the context that runs next. */
struct context *sleep_end(struct context *idle) {
    struct core *core = idle->core;
    unsigned long pending = csr_read(sip) & csr_read(sie);
    if (pending == 0) {
        return idle;
    }
    expect_faults(core);
    return interrupt(core, idle,
                     pending & SIE_EXTERNAL                ? SCAUSE_EXTERNAL
                     : pending & SIE_SOFTWARE              ? SCAUSE_SOFTWARE
                     : !REGULATED || (pending & SIE_TIMER) ? SCAUSE_TIMER
                                                           : SCAUSE_OVERFLOW);
}

/* Returns the context that runs next. */
struct context *trap_handle(struct context *context, unsigned long cause) {
    enum { SP = 2 };
    struct core *core = context->core;
    bool in_handler = context == &core->trap->context;
    bool is_interrupt = cause == SCAUSE_TIMER || cause == SCAUSE_SOFTWARE ||
                        cause == SCAUSE_EXTERNAL || (REGULATED && cause == SCAUSE_OVERFLOW);
    bool is_users = PARTITIONS && !in_handler && !(context->status & SSTATUS_SPP);
    if (PARTITIONS) {
        arch_user_close(); /* what was interrupted has it in its context */
    }
    expect_faults(core);
    if (in_handler || !(is_interrupt || is_users)) {
        kernel_panic(context, describe(core, context, cause, csr_read(stval)));
    }
    if (core->nesting > 0 && context->x[SP] < core->trap_limit) {
        kernel_panic(context, "trap stack overflow");
    }

    return interrupt(core, context, cause);
}
