// SPDX-License-Identifier: Apache-2.0
// Measurements that the test writes down before the program starts: each hart does its steps, each
// at a cycle of its own, and leaves the cycles that it took. What is measured is a loop of
// assembly, so that the test knows each instruction.
#include "program.h"

enum { END, CHASE, WRITE, STREAM, UPDATE, PASS, SEND, SLEEP, FLUSH };

#define STEPS 8

// Written by the test; `cycles`, `begin` and `end` by the step's hart.
LINE volatile struct step {
    uint64_t kind;
    uint64_t address;
    uint64_t count;
    uint64_t at; // the cycle at which it begins
    uint64_t argument;
    uint64_t begin;
    uint64_t end;
    uint64_t unused;
} steps[128][STEPS];

static struct own {
    LINE uint64_t chain; // points at itself
    uint64_t value;
} own[128];

#define MEASURED(setup, loop)                                                                      \
    __asm__ volatile(".option push\n.option norvc\n.balign 64\n" setup "csrr %0, mcycle\n" loop    \
                     "csrr %1, mcycle\n.option pop"                                                \
                     : "=&r"(begin), "=&r"(end), "+&r"(address), "+&r"(count)                      \
                     : "r"(argument)                                                               \
                     : "t0", "t1", "memory")

// Never inlined: each loop stands once, at one place, and is in L1 I when it is measured.
static __attribute__((noinline)) void measure(volatile struct step *result, uint64_t kind,
                                              uint64_t address, uint64_t count, uint64_t argument) {
    uint64_t begin = 0, end = 0;
    switch (kind) {
    case CHASE:
        MEASURED("", "1: ld %2, 0(%2)\naddi %3, %3, -1\nbnez %3, 1b\n");
        break;
    case WRITE:
        MEASURED("", "1: sd zero, 8(%2)\nld %2, 0(%2)\naddi %3, %3, -1\nbnez %3, 1b\n");
        break;
    // Reads a word of each line from here on.
    case STREAM:
        MEASURED("", "1: ld t0, 0(%2)\naddi %2, %2, 64\naddi %3, %3, -1\nbnez %3, 1b\n");
        break;
    case UPDATE:
        MEASURED("", "1: amoadd.d zero, zero, (%2)\naddi %3, %3, -1\nbnez %3, 1b\n");
        break;
    // Two harts write a word in turn: waits for `argument`, writes the number behind it, and again
    // two numbers on.
    case PASS:
        MEASURED("mv t1, %4\n", "1: ld t0, 0(%2)\nbne t0, t1, 1b\naddi t0, t0, 1\nsd t0, 0(%2)\n"
                                "addi t1, t1, 2\naddi %3, %3, -1\nbnez %3, 1b\n");
        break;
    // A word for a device, and the cycle before.
    case SEND:
        MEASURED("", "sw %4, 0(%2)\n");
        break;
    // Sends a line to memory.
    case FLUSH:
        MEASURED("", ".insn i 0x0f, 2, x0, %2, 2\n");
        break;
    // Until a software interrupt is pending. It is not taken.
    case SLEEP:
        MEASURED("csrw mie, 8\n", "wfi\n");
        break;
    default:
        break;
    }
    result->begin = begin;
    result->end = end;
}

int main(uint64_t hart, uint64_t harts) {
    (void)harts;
    struct own *mine = &own[hart];
    mine->chain = (uint64_t)&mine->chain;
    for (volatile struct step *step = steps[hart]; step->kind != END; step++) {
        volatile struct step now = *step;
        if (now.kind != SLEEP) {
            // Once for nothing, so that code and results are where they will be.
            uint64_t word = now.kind == PASS || now.kind == SEND;
            measure(step, now.kind, (uint64_t)(word ? &mine->value : &mine->chain), 1, mine->value);
        }
        while (cycles() < now.at) {
        }
        measure(step, now.kind, now.address, now.count, now.argument);
    }
    return 0;
}
