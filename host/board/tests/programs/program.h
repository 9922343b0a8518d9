// SPDX-License-Identifier: Apache-2.0
// The board's test programs share these functions. They run in M-mode without a kernel, one main on
// every hart.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE __attribute__((aligned(64)))

// The test: each hart calls it, and it returns 0 where all is as expected.
int main(uint64_t hart, uint64_t harts);

static inline uint64_t cycles(void) {
    uint64_t value;
    __asm__ volatile("csrr %0, mcycle" : "=r"(value));
    return value;
}

static inline void pause(void) {
    __asm__ volatile(".word 0x0100000f"); // Zihintpause
}

// All harts wait for each other; sense-reversing, on one counter.
static inline void barrier(uint64_t harts) {
    static LINE volatile uint64_t count;
    static LINE volatile uint64_t phase;
    uint64_t now = phase;
    if (__atomic_add_fetch(&count, 1, __ATOMIC_ACQ_REL) == harts) {
        count = 0;
        __atomic_store_n(&phase, now + 1, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&phase, __ATOMIC_ACQUIRE) == now) {
    }
}
