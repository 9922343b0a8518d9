// SPDX-License-Identifier: Apache-2.0
// RAM that no cache keeps, at UNCACHED: what it holds, what it refuses, what a load takes.
// ROUND_TRIPS, by hart: cycles of a load in all when the row is open.
#include "program.h"
#include "traps.h"

#define UNCACHED 0x40000000
#define END      (UNCACHED + 0x10000)
#define DMA      ((volatile uint64_t *)DMA_BASE)
enum { SOURCE, DESTINATION, LENGTH, CONTROL, STATUS };
enum {
    FETCH_ACCESS_FAULT = 1,
    LOAD_MISALIGNED = 4,
    LOAD_ACCESS_FAULT = 5,
    STORE_MISALIGNED = 6,
    STORE_ACCESS_FAULT = 7
};

#define AT(type, offset) (*(volatile type *)(UNCACHED + (offset)))

// Each width, and a load of what the store buffer holds whole, or a part of.
static int values(uint64_t at) {
    AT(uint64_t, at) = 0x1122334455667788;
    AT(uint8_t, at + 1) = 0xaa;
    AT(uint16_t, at + 6) = 0xbbcc;
    if (AT(uint64_t, at) != 0xbbcc33445566aa88 || AT(int16_t, at + 6) != (int16_t)0xbbcc) {
        return 10;
    }
    __asm__ volatile("fence" ::: "memory");
    if (AT(uint32_t, at) != 0x5566aa88) {
        return 11;
    }
    *(volatile double *)(UNCACHED + at) = 1.5;
    if (*(volatile double *)(UNCACHED + at) != 1.5) {
        return 12;
    }
    AT(uint64_t, at) = 5;
    volatile uint64_t *word = &AT(uint64_t, at);
    if (__atomic_fetch_add(word, 3, __ATOMIC_SEQ_CST) != 5 ||
        __atomic_fetch_or((volatile uint32_t *)word, 16, __ATOMIC_RELAXED) != 8) {
        return 13;
    }
    // Nothing to move; it comes after the store.
    __asm__ volatile(
        ".option push\n\t.option norvc\n\tmv a0, %0\n\t.word 0x0025200f\n\t.option pop" ::"r"(word)
        : "a0", "memory");
    return *word == 24 ? 0 : 14;
}

static int faults(struct traps *caught) {
    TRAP_LOAD("lw", UNCACHED + 2);
    if (!trapped(caught, LOAD_MISALIGNED, UNCACHED + 2)) {
        return 20;
    }
    TRAP_STORE("sd", UNCACHED + 4, 1);
    if (!trapped(caught, STORE_MISALIGNED, UNCACHED + 4)) {
        return 21;
    }
    TRAP_LOAD("lr.d", UNCACHED);
    if (!trapped(caught, LOAD_ACCESS_FAULT, UNCACHED)) {
        return 22;
    }
    __asm__ volatile("sc.d a0, zero, (%0)" ::"r"(UNCACHED) : "a0", "memory");
    if (!trapped(caught, STORE_ACCESS_FAULT, UNCACHED)) {
        return 23;
    }
    TRAP_LOAD("lb", END);
    if (!trapped(caught, LOAD_ACCESS_FAULT, END)) {
        return 24;
    }
    ((void (*)(void))UNCACHED)();
    return trapped(caught, FETCH_ACCESS_FAULT, UNCACHED) ? 0 : 26;
}

// A page table there: the walk is an access fault of the access.
static int walks(struct traps *caught) {
    // Where MPRV leads loads to S-mode's translation.
    uint64_t satp = 8ull << 60 | UNCACHED >> 12, mprv = 1 << 17, mpp = 3 << 11,
             supervisor = 1 << 11, before, value = 1;
    __asm__ volatile("csrr %0, mstatus" : "=r"(before));
    uint64_t within = (before & ~mpp) | supervisor | mprv;
    __asm__ volatile("csrw satp, %1\n\tsfence.vma\n\tcsrw mstatus, %2\n\t"
                     ".option push\n\t.option norvc\n\tlb %0, 0(%4)\n\t.option pop\n\t"
                     "csrw mstatus, %3\n\tcsrw satp, zero\n\tsfence.vma"
                     : "+r"(value)
                     : "r"(satp), "r"(within), "r"(before), "r"(0x1000ul)
                     : "memory");
    return trapped(caught, LOAD_ACCESS_FAULT, 0x1000) ? 0 : 30;
}

// From uncached memory to cached, and back.
static int transfers(void) {
    static LINE volatile uint64_t cached[16];
    for (uint64_t i = 0; i < 16; i++) {
        AT(uint64_t, 0x2000 + 8 * i) = 100 + i;
        cached[i] = 0;
        AT(uint64_t, 0x3000 + 8 * i) = 0;
    }
    uint64_t places[] = {UNCACHED + 0x2000, (uint64_t)cached, UNCACHED + 0x3000};
    for (int i = 0; i < 2; i++) {
        DMA[SOURCE] = places[i];
        DMA[DESTINATION] = places[i + 1];
        DMA[LENGTH] = 128;
        __asm__ volatile("fence rw, o" ::: "memory");
        DMA[CONTROL] = 1;
        while (DMA[STATUS] & 1) {
        }
        if (DMA[STATUS] != 2) {
            return 40;
        }
    }
    for (uint64_t i = 0; i < 16; i++) {
        if (cached[i] != 100 + i || AT(uint64_t, 0x3000 + 8 * i) != 100 + i) {
            return 41;
        }
    }
    return 0;
}

#if TIMED
// Cycles from one read of the counter to the next with a load between.
__attribute__((noinline, aligned(64))) static uint64_t measured(uint64_t address) {
    uint64_t before, after, value;
    __asm__ volatile("fence\n\t"
                     "j 1f\n\t"
                     ".balign 64\n"
                     "1: csrr %0, mcycle\n\t"
                     "ld %2, 0(%3)\n\t"
                     "csrr %1, mcycle\n\t"
                     : "=&r"(before), "=&r"(after), "=&r"(value)
                     : "r"(address)
                     : "memory");
    return after - before;
}
#endif

int main(uint64_t hart, uint64_t harts) {
    struct traps *caught = trap_catch_all(hart);
    int code = values(0x100 + 64 * hart);
    code = code ? code : faults(caught);
    code = code ? code : walks(caught);
    code = code ? code : hart == 0 ? transfers() : 0;
    if (code) {
        return code;
    }
    barrier(harts);
    for (int i = 0; i < 50; i++) {
        __atomic_fetch_add(&AT(uint64_t, 0x1000), 1, __ATOMIC_RELAXED);
    }
    barrier(harts);
    if (AT(uint64_t, 0x1000) != 50 * harts) {
        return 2;
    }
#if TIMED
    // One after the other, so that nobody is in the way.
    static const uint64_t round_trips[] = ROUND_TRIPS;
    for (uint64_t turn = 0; turn < harts; turn++) {
        barrier(harts);
        for (int i = 0; i < 2000; i++) {
            __asm__ volatile("");
        }
        if (turn == hart) {
            // The first brings the code, and opens the row.
            measured(UNCACHED);
            measured(UNCACHED);
            if (measured(UNCACHED) != round_trips[hart] + COUNTER) {
                return 3;
            }
        }
    }
    barrier(harts);
#endif
    return 0;
}
