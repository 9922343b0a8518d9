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

static bool in_guard(uintptr_t address, const uint8_t *stack_limit, uintptr_t size) {
    return address < (uintptr_t)stack_limit && address >= (uintptr_t)stack_limit - size;
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
        return in_guard(address, core->config->trap_stack_limit, PAGE_SIZE) ? "trap stack overflow"
                                                                            : 0;
    }
    if (task == core->idle) {
        return in_guard(address, core->config->idle_stack_limit, PAGE_SIZE) ? "idle stack overflow"
                                                                            : 0;
    }
    return in_guard(address, task->config->stack_limit, TASK_GUARD) ? "stack overflow" : 0;
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
static const char *describe_trap(const struct core *core, const struct context *context,
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
    enum takt_partition_error error = is_page && in_guard(value, limit, PAGE_SIZE)
                                          ? TAKT_STACK_OVERFLOW
                                      : is_memory ? TAKT_MEMORY_VIOLATION
                                                  : TAKT_ILLEGAL_REQUEST;
    health_fault(core, error, cause_name(cause), value, context->x[0]);
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
static inline struct context *trap_leave(struct core *core, struct context *context) {
    struct context *next = kernel_interrupt_leave(core, context);
    core->trap_sp = core->nesting > 0 ? 0 : (uintptr_t)core->config->trap_stack_top;
    core->save = next;
    if (DISTRIBUTED && MIGRATES && core->departing != 0 && core->nesting == 0) {
        let_go(core, context, next);
    }
    return next;
}

/* The answer to each interrupt is a function that is called last, so that the way there has nothing
 * to save. They return the context that runs next. */

static FLAT OUT_OF_LINE struct context *answer_device(struct core *core, struct context *context) {
    kernel_device(core);
    return trap_leave(core, context);
}

/* `ticks`: at which the interrupt began. */
static OUT_OF_LINE struct context *answer_timer(struct core *core, struct context *context,
                                                uint64_t ticks) {
    kernel_timer(core, ticks);
    return trap_leave(core, context);
}

static OUT_OF_LINE struct context *answer_software(struct core *core, struct context *context) {
    csr_clear(sip, SIE_SOFTWARE); /* before the inbox is read: a later post interrupts again */
    __asm__ volatile("fence o, rw" ::: "memory");
    kernel_ipi(core);
    return trap_leave(core, context);
}

#if REGULATED
static OUT_OF_LINE struct context *answer_overflow(struct core *core, struct context *context) {
    kernel_overflow(core);
    return trap_leave(core, context);
}
#endif

/* What has ended the idle task's sleep, one interrupt; the others trap as soon as they may. The
 * order is that of traps. Returns the context that runs next. */
FRAMELESS struct context *sleep_end(struct context *idle) {
    struct core *core = idle->core;
    unsigned long pending = csr_read(sip) & csr_read(sie);
    if (pending == 0) {
        return idle;
    }
    expect_faults(core);
    uint64_t ticks = kernel_interrupt_enter(core);
    if (DISTRIBUTED && (pending & SIE_EXTERNAL)) {
        return answer_device(core, idle);
    }
    if (pending & SIE_SOFTWARE) {
        return answer_software(core, idle);
    }
#if REGULATED
    if (!(pending & SIE_TIMER)) {
        return answer_overflow(core, idle);
    }
#endif
    return answer_timer(core, idle, ticks);
}

/* Returns the context that runs next, after an interrupt. */
FRAMELESS struct context *trap_interrupt(struct context *context, unsigned long cause) {
    enum { SP = 2 };
    struct core *core = context->core;
    if (PARTITIONS) {
        arch_user_close(); /* what was interrupted has it in its context */
    }
    expect_faults(core);
    if (context == &core->trap->context) { /* a handler, in which interrupts are disabled */
        kernel_panic(context, cause_name(cause));
    }
    if (__builtin_expect(core->nesting > 0, 0) && context->x[SP] < core->trap_limit) {
        kernel_panic(context, "trap stack overflow");
    }
    uint64_t ticks = kernel_interrupt_enter(core);
    if (DISTRIBUTED && cause == SCAUSE_EXTERNAL) {
        return answer_device(core, context);
    }
    if (cause == SCAUSE_SOFTWARE) {
        return answer_software(core, context);
    }
#if REGULATED
    if (cause == SCAUSE_OVERFLOW) {
        return answer_overflow(core, context);
    }
#endif
    if (cause != SCAUSE_TIMER) {
        kernel_panic(context, cause_name(cause));
    }
    return answer_timer(core, context, ticks);
}

/* Returns the context that runs next, after another trap: of user mode, if any. */
struct context *trap_fault(struct context *context, unsigned long cause) {
    struct core *core = context->core;
    bool in_handler = context == &core->trap->context;
    bool is_users = PARTITIONS && !in_handler && !(context->status & SSTATUS_SPP);
    if (PARTITIONS) {
        arch_user_close();
    }
    expect_faults(core);
    if (!is_users) {
        kernel_panic(context, describe_trap(core, context, cause, csr_read(stval)));
    }
    kernel_interrupt_enter(core);
    handle_fault(core, context, cause, csr_read(stval));
    return trap_leave(core, context);
}
