/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel needs of the machine; all of it that the kernel may use. */
#ifndef ARCH_H
#define ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "csr.h"

/* --- Interrupts of this core ------------------------------------------------------------- */

/* Returns what arch_interrupts_restore needs. Sections nest. */
static inline unsigned long arch_interrupts_disable(void) {
    return csr_read_clear(sstatus, SSTATUS_SIE) & SSTATUS_SIE;
}

static inline void arch_interrupts_restore(unsigned long saved) {
    csr_set(sstatus, saved);
}

static inline void arch_interrupts_enable(void) {
    csr_set(sstatus, SSTATUS_SIE);
}

/* Waits until an interrupt is pending, also while they are disabled; may return early. */
static inline void arch_wait_for_interrupt(void) {
    __asm__ volatile("wfi" ::: "memory");
}

/* Tells the core that this is a spin loop (Zihintpause; a no-op where it is missing). */
static inline void arch_pause(void) {
    __asm__ volatile(".4byte 0x0100000f" ::: "memory");
}

/* Takes no interrupt any more and waits for ever. */
_Noreturn void arch_park(void);

/* Interrupts another core, which then calls kernel_ipi(). All memory accesses before are seen
 * there. */
void arch_interrupt_core(const struct core *core);

/* Forgets that another core has interrupted this one; memory accesses after it come after it. */
static inline void arch_interrupt_clear(void) {
    csr_clear(sip, SIE_SOFTWARE);
    __asm__ volatile("fence o, rw" ::: "memory");
}

/* Interrupts this core as another one does. */
static inline void arch_interrupt_here(void) {
    csr_set(sip, SIE_SOFTWARE);
}

/* --- Time -------------------------------------------------------------------------------- */

/* The machine's clock, equal on all cores. */
static inline uint64_t arch_ticks(void) {
    return csr_read(time);
}

uint64_t arch_clock_hz(void);

/* Asks for kernel_timer() on this core when the clock has reached `ticks`; UINT64_MAX: never. */
void arch_timer_set(uint64_t ticks);

/* Machine time after which the run ends, in ns, from the boot arguments (`for=`); 0: never. */
uint64_t arch_run_for(void);

/* --- Contexts (context.S) ---------------------------------------------------------------- */

/* The storage that the running code owns; a task's control block lies right below. */
static inline uintptr_t arch_thread_pointer(void) {
    uintptr_t tp;
    __asm__ volatile("mv %0, tp" : "=r"(tp));
    return tp;
}

/* Makes the context start `function` with an empty stack and fresh floating point. */
void context_prepare(struct context *context, void (*function)(void), uintptr_t stack_top,
                     uintptr_t thread_pointer);

/* Saves the caller and runs `to`; returns when somebody runs `from`. Interrupts disabled. */
void context_switch(struct context *from, struct context *to);

/* Runs a context and forgets the caller. Interrupts disabled. */
_Noreturn void context_load(struct context *next);

/* --- Floating point ---------------------------------------------------------------------- */

/* Makes every use of floating point a trap; returns what arch_float_restore needs. */
static inline unsigned long arch_float_disable(void) {
    return csr_read_clear(sstatus, SSTATUS_FS) & SSTATUS_FS;
}

static inline void arch_float_restore(unsigned long saved) {
    csr_set(sstatus, saved);
}

/* --- The end ----------------------------------------------------------------------------- */

/* Waits, bounded, until the console takes a byte at once; false when it does not. */
bool arch_console_wait(void);

/* One byte to the UART, polled, with a bounded wait; to the firmware's console if there is none. */
void arch_console_put(char c);

/* Prints the registers of a context and a backtrace of names from it. */
void arch_print_context(const struct context *context);

/* Prints a backtrace of names from the caller of the caller. */
void arch_print_backtrace(void);

#endif
