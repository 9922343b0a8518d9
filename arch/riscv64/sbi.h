/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to the firmware: RISC-V Supervisor Binary Interface 1.0. Any context. */
#ifndef ARCH_SBI_H
#define ARCH_SBI_H

#include <stdint.h>

struct sbi_result {
    long error; /* 0 or a negative SBI error */
    long value;
};

static inline struct sbi_result sbi_call(unsigned long extension, unsigned long function,
                                         unsigned long arg0, unsigned long arg1,
                                         unsigned long arg2) {
    register unsigned long a0 __asm__("a0") = arg0;
    register unsigned long a1 __asm__("a1") = arg1;
    register unsigned long a2 __asm__("a2") = arg2;
    register unsigned long a6 __asm__("a6") = function;
    register unsigned long a7 __asm__("a7") = extension;
    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a6), "r"(a7) : "memory");
    return (struct sbi_result){(long)a0, (long)a1};
}

/* Legacy console: the only output before the device tree is read. */
static inline void sbi_console_put(char c) {
    sbi_call(0x01, 0, (unsigned char)c, 0, 0);
}

/* TIME: the next timer interrupt of this hart, in ticks. */
static inline void sbi_timer_set(uint64_t ticks) {
    sbi_call(0x54494d45, 0, ticks, 0, 0);
}

/* IPI: a software interrupt for one hart. The mask's base makes any hart number reachable. */
static inline void sbi_send_ipi(uint64_t hart) {
    sbi_call(0x735049, 0, 1, hart, 0);
}

/* HSM: starts a hart at a physical address with a1 = opaque. */
static inline long sbi_hart_start(uint64_t hart, uint64_t address, uint64_t opaque) {
    return sbi_call(0x48534d, 0, hart, address, opaque).error;
}

/* HSM: gives this hart back to the firmware; returns only on failure. */
static inline void sbi_hart_stop(void) {
    sbi_call(0x48534d, 1, 0, 0, 0);
}

#endif
