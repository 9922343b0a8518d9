/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's clock, interrupts between cores, and console. */
#include "arch.h"

#include "config.h"
#include "core.h"
#include "machine.h"
#include "page_table.h"
#include "sbi.h"
#include "uart16550.h"

static struct uart16550 uart;

uint64_t arch_clock_hz(void) {
    return machine.clock_hz;
}

uint64_t arch_run_for(void) {
    return machine.run_for;
}

void arch_timer_set(uint64_t ticks) {
    if (__builtin_expect(machine.sstc, 1)) {
        csr_write(CSR_STIMECMP, ticks);
    } else {
        sbi_timer_set(ticks);
    }
}

void arch_interrupt_core(const struct core *core) {
    MARK_VALUE(arch_interrupt_core, core);
    volatile uint32_t *sswi = machine.harts[core->index].sswi;
    /* The interrupt is an output to a device: after all memory accesses before it. */
    __asm__ volatile("fence rw, o" ::: "memory");
    if (sswi != 0) {
        *sswi = 1;
    } else {
        sbi_send_ipi(core->hart);
    }
}

/* The clock interrupt ends WFI once a second, without being taken: when no hart has anything to
 * come, QEMU with -icount sleep=off runs its clock to the end of time and hangs. */
void arch_park(void) {
    arch_interrupts_disable();
    csr_write(sie, SIE_TIMER);
    uint64_t second = machine.clock_hz != 0 ? machine.clock_hz : 10000000;
    for (;;) {
        arch_timer_set(arch_ticks() + second);
        arch_wait_for_interrupt();
    }
}

void arch_console_init(void) {
    if (machine.uart != 0) {
        uart = (struct uart16550){map_device(machine.uart, 8u << machine.uart_shift),
                                  machine.uart_shift};
    }
}

bool arch_console_wait(void) {
    return uart.registers == 0 || uart16550_wait(&uart);
}

void arch_console_put(char c) {
    if (uart.registers != 0) {
        uart16550_put(&uart, c);
    } else {
        sbi_console_put(c);
    }
}

void context_prepare(struct context *context, void (*function)(void), uintptr_t stack_top,
                     uintptr_t thread_pointer) {
    enum { RA = 1, SP = 2, TP = 4, S0 = 8 };
    context->x[RA] = (uintptr_t)function;
    context->x[SP] = stack_top;
    context->x[TP] = thread_pointer;
    context->x[S0] = 0; /* backtraces end here */
    context->status = SSTATUS_FS_INITIAL | CONTEXT_CALLED;
}
