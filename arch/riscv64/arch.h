/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel needs of the machine; all of it that the kernel may use. */
#ifndef ARCH_H
#define ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "csr.h"

/* --- Places that the calibration knows ------------------------------------------------------- */

/* Marks the instruction that follows, with a name that `takt calibrate` knows
 * (docs/design/calibration.md). The address and the name go into a section that takes no memory in
 * the image; the mark itself is no instruction. Where the compiler copies the code, each copy has
 * an address of its own. The mark keeps its order with other marks and with accesses to CSRs, and
 * loads and stores may pass it: the time of one that does belongs to the other side. */
#define MARK(name) __asm__ volatile inline(MARK_ENTRY(#name)::)

/* Does the same, and the register that holds `value` there. */
#define MARK_VALUE(name, value) __asm__ volatile inline(MARK_ENTRY(#name " %0")::"r"(value))

/* A linker keeps a section of this name and resolves what it says of code that was dropped to 0. */
#define MARK_ENTRY(text)                                                                           \
    "1: .pushsection .debug_takt_marks\n\t.dword 1b\n\t.asciz \"" text "\"\n\t.popsection"

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

/* --- Atomics that C cannot say ------------------------------------------------------------- */

/* All memory accesses before it, before all stores after it. GCC makes a full fence of the same in
 * C. */
static inline void arch_fence_release(void) {
    __asm__ volatile("fence rw, w" ::: "memory");
}

/* All loads before it, before all memory accesses after it. GCC makes a full fence of an acquiring
 * load in C, which waits for the stores before it. */
static inline void arch_fence_acquire(void) {
    __asm__ volatile("fence r, rw" ::: "memory");
}

/* Takes the next ticket of a lock that is free: adds 1 to the high half of its word, which has the
 * next ticket there, and in its low half the one that is served. Returns false, and no ticket, if
 * the lock is not free or another core comes between. Acquire: pairs with the lock's release.
 *
 * LR and SC fetch the line once, to keep, where other atomics may be performed at its home. */
static inline bool arch_ticket_take_free(uint64_t *word, uint32_t *ticket) {
    uint64_t seen, next, one = 1ull << 32, fails;
    __asm__ goto volatile("lr.d.aq %0, (%3)\n\t"
                          "srai    %1, %0, 32\n\t"
                          "sext.w  %2, %0\n\t"
                          "bne     %1, %2, %l[fails]\n\t"
                          "add     %0, %0, %4\n\t"
                          "sc.d    %2, %0, (%3)\n\t"
                          "bnez    %2, %l[fails]"
                          : "=&r"(seen), "=&r"(next), "=&r"(fails)
                          : "r"(word), "r"(one)
                          : "memory"
                          : fails);
    *ticket = (uint32_t)next;
    return true;
fails:
    return false;
}

/* --- What the compiler shall not know --------------------------------------------------- */

/* The same address; what lies there the compiler does not know. */
static inline void *arch_opaque(const void *address) {
    __asm__("" : "+r"(address));
    return (void *)address;
}

/* Keeps the order of memory accesses as it is written, and makes the compiler see no copy in a
 * loop.
 */
static inline void arch_compiler_barrier(void) {
    __asm__ volatile("" ::: "memory");
}

/* --- Time -------------------------------------------------------------------------------- */

/* The machine's clock, equal on all cores. */
static inline uint64_t arch_ticks(void) {
    uint64_t ticks; /* without csr_read's barrier: no access of memory keeps its order with it */
    __asm__ volatile("rdtime %0" : "=r"(ticks));
    return ticks;
}

/* Does the same, between the memory accesses before and those after it: a fence orders readings of
 * the clock as input. */
static inline uint64_t arch_ticks_between(void) {
    __asm__ volatile("fence rw, i" ::: "memory");
    uint64_t ticks = arch_ticks();
    __asm__ volatile("fence i, rw" ::: "memory");
    return ticks;
}

/* Raises `*word` to at least `value`; returns what is there then. Orders nothing else. */
static inline uint64_t arch_atomic_max(uint64_t *word, uint64_t value) {
    uint64_t old;
    __asm__ volatile("amomaxu.d %0, %2, (%1)" : "=r"(old) : "r"(word), "r"(value) : "memory");
    return old > value ? old : value;
}

uint64_t arch_clock_hz(void);

/* Asks for kernel_timer() on this core when the clock has reached `ticks`; UINT64_MAX: never. */
void arch_timer_set(uint64_t ticks);

/* Machine time after which the run ends, in ns, from the boot arguments (`for=`); 0: never. */
uint64_t arch_run_for(void);

/* Where those of takt_page_tables end that are in use. */
uint8_t *arch_page_tables_end(void);

/* --- Contexts (context.S) ---------------------------------------------------------------- */

/* The storage that the running code owns; a task's control block lies right below. */
static inline uintptr_t arch_thread_pointer(void) {
    return (uintptr_t)__builtin_thread_pointer();
}

/* The block of the core that runs this: constant, but for who may migrate. */
static inline struct core *arch_core(void) {
    return (struct core *)csr_read(sscratch);
}

/* Makes the context start `function` with an empty stack and fresh floating point. */
void context_prepare(struct context *context, void (*function)(void), uintptr_t stack_top,
                     uintptr_t thread_pointer);

/* Saves the caller and runs `to`; returns when somebody runs `from`. Interrupts disabled. */
void context_switch(struct context *from, struct context *to);

/* Does the same as what a service calls last: returns TAKT_OK to the service's caller, which called
 * with interrupts enabled, and enables them again. */
int context_switch_last(struct context *from, struct context *to);

/* Begins without floating point in use: sstatus.FS is Initial, and fcsr 0 as that promises. */
void context_begin_floats(void);

/* Waits for an interrupt and handles it; returns when somebody runs `idle`, which is the caller.
 * May return early. Interrupts disabled. */
void context_sleep(struct context *idle);

/* In an interrupt: keeps what of the interrupted context was still in registers, so that another
 * core may load it; the caller then loads another. */
void context_keep(struct context *interrupted);

/* Runs a context and forgets the caller. Interrupts disabled. */
_Noreturn void context_load(struct context *next);

/* --- User mode (user.S, user.c); only where there are partitions -------------------------- */

/* The page table of this core, as satp has it. */
static inline uint64_t arch_table(void) {
    return csr_read(satp);
}

/* Goes on with another page table. Tables have ASIDs of their own, and the kernel's pages are in
 * all of them, so nothing is to be flushed. Interrupts disabled. */
static inline void arch_table_enter(uint64_t table) {
    if (csr_read(satp) != table) {
        csr_write(satp, table);
    }
}

/* Lets the kernel access the pages of user mode, until the next trap at most: an interrupt that
 * returns restores it. */
static inline void arch_user_open(void) {
    csr_set(sstatus, SSTATUS_SUM);
}

static inline void arch_user_close(void) {
    csr_clear(sstatus, SSTATUS_SUM);
}

/* Prepares this core: user mode reads the clock and no other counter, and executes no instruction
 * on caches. `asids`: page tables beside the kernel's, which the hardware must tell apart. */
void user_core_init(uint32_t asids);

/* Calls `entry` in user mode on a stack, behind which the task's thread-local storage lies, with
 * `exit` as its return address. `kernel_stack`: on which its calls run. Interrupts disabled. */
_Noreturn void user_enter(void (*entry)(intptr_t), intptr_t argument, uint8_t *stack_top,
                          void (*exit)(void), uint8_t *kernel_stack);

/* --- Devices that the kernel itself uses ---------------------------------------------------- */

/* Maps the pages of a device and returns where its registers appear. At most 512 pages in all. The
 * boot core, before another core starts. */
void *map_device(uintptr_t physical, uintptr_t size);

/* Writes a device's register, after all accesses before it, also those to other registers. */
static inline void arch_register_submit(volatile uint64_t *at, uint64_t value) {
    __asm__ volatile("fence orw, o" ::: "memory");
    *at = value;
    __asm__ volatile("fence o, i" ::: "memory");
}

/* Reads a device's register, before all accesses after it. */
static inline uint64_t arch_register_read(const volatile uint64_t *at) {
    uint64_t value = *at;
    __asm__ volatile("fence i, irw" ::: "memory");
    return value;
}

/* --- Floating point ---------------------------------------------------------------------- */

/* Makes every use of floating point a trap; returns what arch_float_restore needs. */
static inline unsigned long arch_float_disable(void) {
    return csr_read_clear(sstatus, SSTATUS_FS) & SSTATUS_FS;
}

static inline void arch_float_restore(unsigned long saved) {
    csr_set(sstatus, saved);
}

/* --- Interrupts of devices (interrupts.c, trap.c) ------------------------------------------ */

/* The source that this core must serve next, 0: none, and that it has done so: the core's claims
 * of a source and its completion alternate. */
uint32_t arch_device_claim(const struct core *core);
void arch_device_complete(const struct core *core, uint32_t source);

/* Lets this core be interrupted by devices of higher levels only; 0: by all. */
void arch_device_threshold(const struct core *core, uint32_t level);

/* From any core; what is pending stays so. */
void arch_device_enable(uint32_t source, uint32_t level);
void arch_device_disable(uint32_t source);
bool arch_device_pending(uint32_t source);

/* Ends the delivery to this core, `from`; begins that to this core, `to`. */
void arch_device_leave(uint32_t source, uint32_t from, uint32_t to, uint32_t level);
void arch_device_arrive(uint32_t source, uint32_t to, uint32_t level);

/* Calls a function with interrupts enabled and floating point off, in an interrupt. */
void arch_call_interruptible(struct core *core, void (*function)(intptr_t), intptr_t argument);

/* --- Counters of memory traffic (counters.c) ----------------------------------------------- */

/* They are of this core, and used with interrupts disabled. Counter 0 counts lines read from
 * memory, 1 changed lines that the core's caches send away. */

/* Prepares both, stopped, and enables the interrupt of their overflow, which calls
 * kernel_overflow(). Returns false if the firmware does not provide them. */
bool arch_bandwidth_open(void);

uint64_t arch_bandwidth_count(uint32_t which);

/* Stops both, and takes back the interrupt of their overflow. */
void arch_bandwidth_stop(void);

/* Starts one, which is stopped, with a count of -lines: it interrupts after so many. */
void arch_bandwidth_arm(uint32_t which, uint64_t lines);

/* --- The end ----------------------------------------------------------------------------- */

/* Waits, bounded, until the console takes a byte at once; false when it does not. */
bool arch_console_wait(void);

/* One byte to the UART, polled, with a bounded wait; to the firmware's console if there is none. */
void arch_console_put(char c);

/* Prints the registers of a context and a backtrace of names from it. */
void arch_print_context(const struct context *context);

/* Writes at most `room` places of a context that is saved, or of the callers of a frame, each as an
 * offset from takt_text_start: of the next instruction, and of the last byte of each call that led
 * there, from the inside. What is not there is left. Bound: `room`, each with the regions. */
void arch_context_places(const struct context *context, uint32_t *places, uint32_t room);
void arch_frame_places(uintptr_t frame, uint32_t *places, uint32_t room);

/* Prints a backtrace of names from the caller of the caller. */
void arch_print_backtrace(void);

#endif
