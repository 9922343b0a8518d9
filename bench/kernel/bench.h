/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the measurements of the kernel share: the board's cycles and its clock. */
#ifndef BENCH_KERNEL_BENCH_H
#define BENCH_KERNEL_BENCH_H

#include <stdio.h>

#include <takt/takt.h>

static inline uint64_t cycles(void) {
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
    return value;
}

/* The length of a tick of the board's clock in ns, which phase.h checks. */
enum { TICK = 100 /* ns */ };

static inline uint64_t ticks(void) {
    uint64_t value;
    __asm__ volatile("rdtime %0" : "=r"(value)::"memory");
    return value;
}

#endif
