// SPDX-License-Identifier: Apache-2.0
// Scratchpads at one address, each core its own. Hart 3 has none. LATENCY(hart) is that of its own
// loads in all, FAR(hart, other) that of a load through the other's window.
#include "program.h"
#include "traps.h"

#define OWN          0x70000000
#define WINDOW(hart) (0x71000000 + 0x10000 * (hart))
#define HARTS        4
#define HAVE         3
enum {
    FETCH_ACCESS_FAULT = 1,
    LOAD_MISALIGNED = 4,
    LOAD_ACCESS_FAULT = 5,
    STORE_MISALIGNED = 6,
    STORE_ACCESS_FAULT = 7
};

static volatile uint64_t *at(uint64_t address) {
    return (volatile uint64_t *)address;
}

#if TIMED
// Cycles from one read of the counter to the next with a load between; with an instruction of one
// cycle at 0.
__attribute__((noinline, aligned(64))) static uint64_t measured(uint64_t address) {
    uint64_t before, after, value;
    __asm__ volatile("fence\n\t"
                     "j 1f\n\t"
                     ".balign 64\n"
                     "1: csrr %0, mcycle\n\t"
                     "beqz %3, 2f\n\t"
                     "ld %2, 0(%3)\n\t"
                     "csrr %1, mcycle\n\t"
                     "j 3f\n"
                     "2: csrr %1, mcycle\n"
                     "3:"
                     : "=&r"(before), "=&r"(after), "=&r"(value)
                     : "r"(address)
                     : "memory");
    return after - before;
}

static uint64_t load_cycles(uint64_t address) {
    measured(address);
    return measured(address) - BRANCH_AND_COUNTER;
}
#endif

// What is allowed to nobody, or only to the scratchpad's own core.
static int faults(struct traps *caught, uint64_t hart, uint64_t other) {
    TRAP_LOAD("lw", OWN + 2);
    if (!trapped(caught, LOAD_MISALIGNED, OWN + 2)) {
        return 20;
    }
    TRAP_STORE("sd", WINDOW(other) + 4, 1);
    if (!trapped(caught, STORE_MISALIGNED, WINDOW(other) + 4)) {
        return 21;
    }
    TRAP_LOAD("lr.d", OWN);
    if (!trapped(caught, LOAD_ACCESS_FAULT, OWN)) {
        return 22;
    }
    __asm__ volatile("sc.d a0, zero, (%0)" ::"r"(WINDOW(other)) : "a0", "memory");
    if (!trapped(caught, STORE_ACCESS_FAULT, WINDOW(other))) {
        return 23;
    }
    // Behind the last byte.
    uint64_t end = WINDOW(hart) + (hart == 2 ? 0x2000 : 0x1000);
    TRAP_LOAD("lb", end);
    if (!trapped(caught, LOAD_ACCESS_FAULT, end)) {
        return 24;
    }
    __asm__ volatile(
        ".option push\n\t.option norvc\n\tmv a0, %0\n\t.word 0x0025200f\n\t.option pop" ::"r"(
            OWN) // cbo.flush
        : "a0", "memory");
    if (!trapped(caught, STORE_ACCESS_FAULT, OWN)) {
        return 25;
    }
    ((void (*)(void))WINDOW(other))();
    return trapped(caught, FETCH_ACCESS_FAULT, WINDOW(other)) ? 0 : 26;
}

// Code in the own scratchpad: `li a0, 7; ret`, then changed to 9; the old is seen until fence.i.
static int fetches(void) {
    volatile uint32_t *code = (volatile uint32_t *)(OWN + 0x100);
    int (*run)(void) = (int (*)(void))(OWN + 0x100);
    code[0] = 0x00700513;
    code[1] = 0x00008067;
    __asm__ volatile("fence.i" ::: "memory");
    if (run() != 7) {
        return 30;
    }
    code[0] = 0x00900513;
    if (run() != 7) {
        return 31;
    }
    __asm__ volatile("fence.i" ::: "memory");
    return run() == 9 ? 0 : 32;
}

int main(uint64_t hart, uint64_t harts) {
    struct traps *caught = trap_catch_all(hart);
    if (hart < HAVE) {
        *at(OWN + 8) = 100 + hart;
        *at(OWN + 16) = 0;
    } else {
        TRAP_LOAD("ld", OWN);
        if (!trapped(caught, LOAD_ACCESS_FAULT, OWN)) {
            return 1;
        }
    }
    barrier(harts);
    if (hart < HAVE && *at(OWN + 8) != 100 + hart) {
        return 2;
    }
    for (uint64_t other = 0; other < HAVE; other++) {
        if (*at(WINDOW(other) + 8) != 100 + other) {
            return 3;
        }
        __atomic_fetch_add(at(WINDOW(other) + 16), hart + 1, __ATOMIC_SEQ_CST);
    }
    barrier(harts);
    if (hart < HAVE) {
        if (*at(OWN + 16) != 1 + 2 + 3 + 4 || *at(WINDOW(hart) + 16) != 10) {
            return 4;
        }
        int code = faults(caught, hart, (hart + 1) % HAVE);
        if (code == 0) {
            code = fetches();
        }
        if (code != 0) {
            return code;
        }
    }
    // A message: data by a posted store, then a flag in the same scratchpad, then one in RAM.
    uint64_t next = (hart + 1) % HARTS;
    static LINE volatile uint64_t flags[HARTS][8];
    if (next < HAVE) {
        *at(WINDOW(next) + 24) = 0x5a5a + next;
        __asm__ volatile("fence w, w" ::: "memory");
        flags[next][0] = 1;
    }
    if (hart < HAVE) {
        while (!flags[hart][0]) {
        }
        if (*at(OWN + 24) != 0x5a5a + hart) {
            return 5;
        }
    }
    barrier(harts);
#if TIMED
    // One after the other, so that nobody is in the way.
    static const uint64_t latencies[] = LATENCIES, far[] = FAR;
    for (uint64_t turn = 0; turn < HARTS; turn++) {
        barrier(harts);
        for (int i = 0; i < 2000; i++) {
            __asm__ volatile("");
        }
        if (turn != hart) {
            continue;
        }
        if (hart < HAVE &&
            (load_cycles(OWN) != latencies[hart] || load_cycles(WINDOW(hart)) != latencies[hart])) {
            return 6;
        }
        for (uint64_t other = 0; other < HAVE; other++) {
            if (other != hart && load_cycles(WINDOW(other)) != far[hart * HAVE + other]) {
                return 7;
            }
        }
    }
    barrier(harts);
#endif
    return 0;
}
