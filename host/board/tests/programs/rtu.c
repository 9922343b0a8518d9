// SPDX-License-Identifier: Apache-2.0
// Two harts give the RTU commands, and take its interrupt. Tasks are numbers here: hart 1 "runs"
// what it has taken last.
#include "program.h"

#define RTU       0x50000000ull
#define ALL       ((volatile uint64_t *)RTU)
#define PAGE(h)   ((volatile uint64_t *)(RTU + 0x1000 * (1 + (h))))
#define SSIP      2ull
#define OBJECT(o) ((uint64_t)(o) << 14)
#define TASK(t)   ((uint64_t)(t) << 32)
#define FOR_EVER  (2ull << 6)

enum { COMMAND, ARGUMENT, UNTIL, ANSWER };
enum { CREATE_TASK = 1, CREATE_SEMAPHORE, START = 4, DELAY = 7, TAKE = 11, GIVE };

static LINE volatile uint64_t running[2][8];
static LINE volatile uint64_t interrupts;
LINE volatile uint64_t trip;

static uint64_t next(uint64_t answer) {
    return answer >> 16 & 255;
}

// Returns what the hart should run; ERROR in the bits from 8 on.
static uint64_t call(uint64_t hart, uint64_t word) {
    PAGE(hart)[COMMAND] = word | running[hart][0] << 24;
    uint64_t answer;
    do {
        answer = PAGE(hart)[ANSWER];
    } while (answer & 1);
    running[hart][0] = next(answer);
    return next(answer) | (answer & 0xff00);
}

static uint64_t create(uint64_t word, uint64_t argument) {
    PAGE(0)[ARGUMENT] = argument;
    return call(0, word);
}

__attribute__((interrupt("machine"), aligned(4))) static void handler(void) {
    __asm__ volatile("csrc mip, %0\n\tfence o, i" ::"r"(SSIP) : "memory");
    running[1][0] = next(PAGE(1)[ANSWER]);
    interrupts++;
}

static int sender(void) {
    uint64_t wrong = 0;
    for (uint64_t id = 1; id <= 3; id++) {
        wrong |= create(CREATE_TASK | TASK(id), (id != 1) | (20 - id) << 8);
    }
    wrong |= create(CREATE_SEMAPHORE | OBJECT(1), 1ull << 32);
    wrong |= create(START | TASK(1), 0) | create(START | TASK(2), 0);
    ALL[3] = 1;
    barrier(2);
    running[0][0] = next(PAGE(0)[ANSWER]);
    barrier(2);
    for (int i = 0; i < 3; i++) {
        uint64_t before = cycles();
        wrong |= call(0, 0) != 1;
        trip = cycles() - before;
    }
    wrong |= call(0, START | TASK(3)) != 1;
    barrier(2);
    wrong |= call(0, GIVE | OBJECT(1)) != 1;
    return wrong != 0;
}

static int receiver(void) {
    barrier(2);
    // Enabling has set SSIP: task 2 should run.
    __asm__ volatile("csrw mtvec, %0\n\tcsrs mie, %1\n\tcsrsi mstatus, 8" ::"r"(handler),
                     "r"(SSIP));
    while (running[1][0] != 2) {
    }
    barrier(2);
    while (running[1][0] != 3) {
    }
    __asm__ volatile("csrci mstatus, 8");
    uint64_t wrong = call(1, TAKE | OBJECT(1) | FOR_EVER) != 2;
    __asm__ volatile("csrsi mstatus, 8");
    barrier(2);
    while (running[1][0] != 3) {
    }
    __asm__ volatile("csrci mstatus, 8");
    PAGE(1)[UNTIL] = ALL[2] + 100;
    wrong |= call(1, DELAY) != 2;
    __asm__ volatile("csrsi mstatus, 8");
    while (running[1][0] != 3) {
        __asm__ volatile("wfi");
    }
    __asm__ volatile("csrci mstatus, 8");
    return wrong != 0 || interrupts != 4;
}

int main(uint64_t hart, uint64_t harts) {
    return harts != 2 || (hart == 0 ? sender() : receiver());
}
