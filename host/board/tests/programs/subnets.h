// SPDX-License-Identifier: Apache-2.0
// The registers by which cores of the board iota9 reach each other. A program is compiled twice:
// for core 0, and with WORKER for the workers, whose start is worker.S.
#pragma once
#include <stdint.h>

enum { CORES = 9, WAY = 2 };

#define SCOREBOARD   0x60000000
#define WORDS        0x60001000
#define BLOCK_DMA    0x60002000
#define CONTROL      0x60003000
#define SCRATCHPAD   0x70000000
#define WORKER_ENTRY 0x70001000

#define ENTRY(core)   ((volatile uint32_t *)SCOREBOARD + (core))
#define ARRIVALS      (*(volatile uint32_t *)(SCOREBOARD + 0x40))
#define ANSWERS       (*(volatile uint32_t *)(SCOREBOARD + 0x48))
#define WORD(core, r) (*(volatile uint64_t *)(WORDS + 256 * (core) + 8 * (r)))
#define RUN(core)     (*(volatile uint64_t *)(CONTROL + 16 * (core) + 8))
#define START(core)   (*(volatile uint64_t *)(CONTROL + 16 * (core)))

enum { SOURCE, DESTINATION, LENGTH, TO, COMMAND, STATUS };
enum { SEND = 1, GATHER = 2 };
enum { BUSY = 1, DONE = 2, ERROR = 4 };
#define ENGINE ((volatile uint64_t *)BLOCK_DMA)

// The field that the entry of core `own` has for core `other`.
static inline unsigned field(unsigned other, unsigned own) {
    return other - (other > own);
}

static inline void worker_start(unsigned core) {
    START(core) = WORKER_ENTRY;
    RUN(core) = 1;
}

// Copies, and waits until it is done.
static inline uint64_t copy(uint64_t command, uint64_t source, uint64_t destination,
                            uint64_t length, uint64_t cores) {
    __asm__ volatile("fence rw, o" ::: "memory");
    ENGINE[SOURCE] = source;
    ENGINE[DESTINATION] = destination;
    ENGINE[LENGTH] = length;
    ENGINE[TO] = cores;
    ENGINE[COMMAND] = command;
    uint64_t status;
    do {
        status = ENGINE[STATUS];
    } while (status & BUSY);
    ENGINE[STATUS] = DONE | ERROR;
    __asm__ volatile("fence i, iorw" ::: "memory");
    return status;
}
