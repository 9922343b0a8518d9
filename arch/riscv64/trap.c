/* SPDX-License-Identifier: Apache-2.0 */
/* Traps, on the core's trap stack: interrupts go to the kernel, all else ends the machine. */
#include "arch.h"
#include "core.h"
#include "page_table.h"
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

/* What a fault means, in the words of its cause. */
static const char *describe(const struct core *core, const struct context *context,
                            unsigned long cause, uintptr_t address) {
    const struct task *task = core->running;
    bool is_access = cause == SCAUSE_LOAD_PAGE_FAULT || cause == SCAUSE_STORE_PAGE_FAULT;
    if (context == &core->trap->context) {
        return is_access && in_guard(address, core->config->trap_stack_limit)
                   ? "trap stack overflow"
                   : "fault in the kernel's trap handler";
    }
    if (is_access && task != core->idle && in_guard(address, task->config->stack_limit)) {
        return "stack overflow";
    }
    if (is_access && task == core->idle && in_guard(address, core->config->idle_stack_limit)) {
        return "idle stack overflow";
    }
    const struct takt_region *region = region_of(address);
    if (cause == SCAUSE_STORE_PAGE_FAULT && region != 0) {
        return region->permissions & TAKT_EXECUTE ? "write to code" : "write to constants";
    }
    static const char *const names[] = {
        [0] = "misaligned jump",  [1] = "fetch from no memory",  [2] = "illegal instruction",
        [3] = "breakpoint",       [4] = "misaligned load",       [5] = "load from no memory",
        [6] = "misaligned store", [7] = "store to no memory",    [8] = "call from user mode",
        [12] = "jump to no code", [13] = "load from no mapping", [15] = "store to no mapping",
    };
    const char *name = cause < sizeof names / sizeof *names ? names[cause] : 0;
    return name != 0 ? name : "unexpected trap";
}

/* Returns the context that runs next. A trap from here on is a fault of the handler: it saves into
 * the trap storage, and runs on the idle stack, as it never returns. */
struct context *trap_handle(struct context *context) {
    struct core *core = context->core;
    unsigned long cause = csr_read(scause), value = csr_read(stval);
    bool nested = context == &core->trap->context;
    core->save = &core->trap->context;
    core->trap_sp = (uintptr_t)core->config->idle_stack_top;
    if (nested || (cause != SCAUSE_TIMER && cause != SCAUSE_SOFTWARE)) {
        kernel_panic(context, describe(core, context, cause, value));
    }

    kernel_interrupt_enter(core);
    if (cause == SCAUSE_TIMER) {
        kernel_timer(core);
    } else {
        csr_clear(sip, SIE_SOFTWARE); /* before the inbox is read: a later post interrupts again */
        __asm__ volatile("fence o, rw" ::: "memory");
        kernel_ipi(core);
    }
    core->trap_sp = (uintptr_t)core->config->trap_stack_top;
    struct context *next = kernel_interrupt_leave(core);
    core->save = next;
    return next;
}
