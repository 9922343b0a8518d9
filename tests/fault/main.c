/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that must end in a panic with the right message, one function for each; generate.py
 * chooses. */
#include "check.h"

void compute(intptr_t argument) {
    for (volatile unsigned i = 0;; i++) {
    }
}

static volatile unsigned depth;

#if LARGE_FRAME
unsigned large_frame(void) {
    volatile char frame[2100];
    frame[depth % sizeof frame] = 1;
    return (unsigned)frame[0];
}
#endif

#pragma GCC diagnostic ignored "-Winfinite-recursion"
__attribute__((noinline)) static unsigned recurse(unsigned level) {
    volatile char frame[512];
    frame[level % sizeof frame] = (char)level;
    depth = level;
    return recurse(level + 1) + (unsigned)frame[0];
}

void overflow_stack(intptr_t argument) {
    recurse(0);
}

/* The handler needs more than 64 bytes, so the next timer interrupt meets the guard page. The test
 * knows the kernel: sscratch points to the core's block, whose second word is the top of the trap
 * stack (arch: context.h). */
void overflow_trap_stack(intptr_t argument) {
    uintptr_t *core;
    __asm__ volatile("csrr %0, sscratch" : "=r"(core));
    core[1] -= 4096 - 64;
    takt_task_delay(TAKT_MILLISECOND);
}

/* Not a tail call, so that the caller appears in the backtrace. */
static void call(uintptr_t address) {
    ((void (*)(void))address)();
    depth = 0;
}

void jump_wild(intptr_t argument) {
    call(0x12340);
}

static unsigned data[16];

void jump_to_data(intptr_t argument) {
    call((uintptr_t)data);
}

void write_code(intptr_t argument) {
    *(volatile uint32_t *)(uintptr_t)compute = 0;
}

const unsigned fault_constant = 1;

void write_constant(intptr_t argument) {
    *(volatile unsigned *)(uintptr_t)&fault_constant = 2;
}

void read_null(intptr_t argument) {
    (void)*(volatile int *)argument;
}

void illegal(intptr_t argument) {
    __asm__ volatile(".4byte 0");
}

/* Each of these faults is found only with `--sanitize`. */
void shift_too_far(intptr_t argument) {
    data[0] <<= 32 + argument;
}

void overflow_sum(intptr_t argument) {
    int most = INT32_MAX - (int)argument;
    data[0] = (unsigned)(most + 1);
}

void index_beyond(intptr_t argument) {
    data[16 + argument] = 1;
}

void fail_assertion(intptr_t argument) {
    takt_assert(argument == 42);
}

/* Core 0, the console core, is busy sending 60,000 bytes when this core panics. */
void panic_beside_console(intptr_t argument) {
    for (int i = 0; i < 1000; i++) {
        takt_console_write("0123456789012345678901234567890123456789012345678901234567\n", 59);
    }
    takt_console_write("last line\n", 10);
    takt_panic("while the console is busy");
}

void shut_down(intptr_t argument) {
    printf("going down\n");
    takt_system_shutdown(77);
}

void shut_down_wrongly(intptr_t argument) {
    takt_system_shutdown(256);
}

/* Interrupts are disabled, so this core cannot be stopped, and the end of the run must say so. */
void hang(intptr_t argument) {
    __asm__ volatile("csrci sstatus, 2");
    for (;;) {
    }
}
