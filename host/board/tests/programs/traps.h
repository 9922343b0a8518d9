// SPDX-License-Identifier: Apache-2.0
// Exceptions that a program expects: they are counted, and the program goes on behind the
// instruction, which has four bytes; behind the call if it was a fetch that failed.
#pragma once
#include <stdint.h>

struct traps {
    uint64_t count;
    uint64_t cause; // of the latest
    uint64_t value;
    uint64_t scratch;
};

static struct traps traps[8] __attribute__((aligned(64))); // by hart

__asm__("    .text\n"
        "    .balign 4\n"
        "trap_catch:\n"
        "    csrrw t0, mscratch, t0\n"
        "    sd   t1, 24(t0)\n"
        "    ld   t1, 0(t0)\n"
        "    addi t1, t1, 1\n"
        "    sd   t1, 0(t0)\n"
        "    csrr t1, mtval\n"
        "    sd   t1, 16(t0)\n"
        "    csrr t1, mcause\n"
        "    sd   t1, 8(t0)\n"
        "    addi t1, t1, -1\n"
        "    beqz t1, 1f\n"
        "    csrr t1, mepc\n"
        "    addi t1, t1, 4\n"
        "    csrw mepc, t1\n"
        "    j    2f\n"
        "1:  csrw mepc, ra\n"
        "2:  ld   t1, 24(t0)\n"
        "    csrrw t0, mscratch, t0\n"
        "    mret\n");

// From here on the hart's exceptions are caught.
static inline struct traps *trap_catch_all(uint64_t hart) {
    extern char trap_catch[];
    __asm__ volatile("csrw mscratch, %0\n\tcsrw mtvec, %1" ::"r"(&traps[hart]), "r"(trap_catch)
                     : "memory");
    return &traps[hart];
}

// Returns whether exactly one exception came since `count` was 0, with this cause and value; sets
// `count` to 0.
static inline int trapped(struct traps *caught, uint64_t cause, uint64_t value) {
    __asm__ volatile("" ::: "memory");
    int as_wanted = caught->count == 1 && caught->cause == cause && caught->value == value;
    caught->count = 0;
    __asm__ volatile("" ::: "memory");
    return as_wanted;
}

// Single instructions of four bytes.
#define TRAP_LOAD(instruction, address)                                                            \
    ({                                                                                             \
        uint64_t value_ = 0x1234;                                                                  \
        __asm__ volatile(".option push\n\t.option norvc\n\t" instruction                           \
                         " %0, 0(%1)\n\t.option pop"                                               \
                         : "+r"(value_)                                                            \
                         : "r"(address)                                                            \
                         : "memory");                                                              \
        value_;                                                                                    \
    })
#define TRAP_STORE(instruction, address, value)                                                    \
    __asm__ volatile(".option push\n\t.option norvc\n\t" instruction " %1, 0(%0)\n\t.option pop"   \
                     :                                                                             \
                     : "r"(address), "r"((uint64_t)(value))                                        \
                     : "memory")
