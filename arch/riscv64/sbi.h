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

/* Does the same with five arguments. */
static inline struct sbi_result sbi_call5(unsigned long extension, unsigned long function,
                                          unsigned long arg0, unsigned long arg1,
                                          unsigned long arg2, unsigned long arg3,
                                          unsigned long arg4) {
    register unsigned long a0 __asm__("a0") = arg0;
    register unsigned long a1 __asm__("a1") = arg1;
    register unsigned long a2 __asm__("a2") = arg2;
    register unsigned long a3 __asm__("a3") = arg3;
    register unsigned long a4 __asm__("a4") = arg4;
    register unsigned long a6 __asm__("a6") = function;
    register unsigned long a7 __asm__("a7") = extension;
    __asm__ volatile("ecall"
                     : "+r"(a0), "+r"(a1)
                     : "r"(a2), "r"(a3), "r"(a4), "r"(a6), "r"(a7)
                     : "memory");
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

#define SBI_PMU             0x504d55
#define SBI_PMU_CLEAR_VALUE 2 /* the counter begins with 0 */
#define SBI_PMU_SET_VALUE   1 /* with the given value */

/* PMU: lets one of this hart's counters, of a mask of them from `first` on, count an event in S-
 * and U-mode, and leaves it stopped; returns which. */
static inline struct sbi_result sbi_pmu_configure(unsigned long first, unsigned long mask,
                                                  unsigned long flags, unsigned long event,
                                                  unsigned long data) {
    return sbi_call5(SBI_PMU, 2, first, mask, flags, event, data);
}

/* PMU: starts counters of this hart from a value. Each is armed, unless the interrupt of an
 * overflow is pending. */
static inline void sbi_pmu_start(unsigned long first, unsigned long mask, uint64_t value) {
    sbi_call5(SBI_PMU, 3, first, mask, SBI_PMU_SET_VALUE, value, 0);
}

/* PMU: stops counters of this hart. */
static inline void sbi_pmu_stop(unsigned long first, unsigned long mask) {
    sbi_call(SBI_PMU, 4, first, mask, 0);
}

#endif
