// SPDX-License-Identifier: Apache-2.0
// Single rules of the timed machine, each measured alone: RULE says which. Hart 0 ends with the
// cycles that it took, or with WRONG where a value is not what it must be.
#include "program.h"

#define WRONG 1000000

static LINE volatile uint64_t lines[16][8];

#define FENCE(order) __asm__ volatile("fence " order ::: "memory")
#define BETWEEN      __asm__ volatile("" ::: "memory")

// The latest store that is still in the buffer answers a load.
#define FORWARD      1
// A fence behind a store that misses.
#define FENCE_ALL    2
#define FENCE_STORES 3
// A load whose page is not in the TLB, with a page table that is in L1.
#define WALK         4
// Loads of the lines of a page, one behind the other, up to LAST.
#define STREAM       5
// Hart 1 sleeps until hart 0 sends an interrupt, or until its timer rings; ends with the moment at
// which it woke.
#define WAKE         6
#define TIMER        7
// An instruction that is written, and executed behind FENCE.I.
#define PATCH        8

// Two lines that take each other's place in a small cache, again and again.
#define THRASH 9

// A page table entry that is changed, without SFENCE.VMA and with; an instruction that is, without
// FENCE.I and with.
#define STALE_PAGE 10
#define STALE_CODE 11

// Page table entries, one of them global, that are changed while another address space comes and
// goes.
#define SPACES 12

#if RULE == FORWARD || RULE == FENCE_ALL || RULE == FENCE_STORES
static uint64_t measure(uint64_t hart) {
    uint64_t took = 0;
    // The first round fetches the code.
    for (uint64_t round = 1; round < 3; round++) {
        uint64_t begin = cycles();
        lines[round * 4][0] = round;
        BETWEEN;
#if RULE == FORWARD
        if (lines[round * 4][0] != round) {
            return WRONG;
        }
#elif RULE == FENCE_ALL
        FENCE("rw, rw");
#else
        FENCE("w, w");
#endif
        took = cycles() - begin;
    }
    return took;
}
#endif

#if RULE == WALK || RULE == STALE_PAGE || RULE == SPACES
#define MIB     (1ul << 20)
#define DATA    (0x80000000 + 8 * MIB)
#define VIRTUAL 0x40000000ul // the second of the root's entries
#define LEAF    0xc7         // valid, readable, writable, accessed, dirty
#define NEXT    1

static uint64_t root[512] __attribute__((aligned(4096)));
static uint64_t middle[512] __attribute__((aligned(4096)));
static uint64_t last[512] __attribute__((aligned(4096)));

#if RULE == STALE_PAGE || RULE == SPACES
// Loads through the table.
static uint64_t mapped(uint64_t address) {
    uint64_t value;
    __asm__ volatile("csrs mstatus, %2\n ld %0, 0(%1)\n csrc mstatus, %2"
                     : "=r"(value)
                     : "r"(address), "r"(0x20000)
                     : "memory");
    return value;
}
#endif

#if RULE == SPACES
#define GLOBAL 0x20

static void space(uint64_t number) {
    uint64_t satp = 8ul << 60 | number << 44 | (uint64_t)root >> 12;
    __asm__ volatile("csrw satp, %0" ::"r"(satp) : "memory");
}

static uint64_t measure(uint64_t hart) {
    uint64_t own = VIRTUAL + 0x5000, all = VIRTUAL + 0x6000;
    root[1] = ((uint64_t)middle >> 2) | NEXT;
    middle[0] = ((uint64_t)last >> 2) | NEXT;
    last[5] = (DATA >> 2) | LEAF;
    last[6] = (DATA >> 2) | LEAF | GLOBAL;
    *(volatile uint64_t *)DATA = 5;
    *(volatile uint64_t *)(DATA + 0x1000) = 7;
    __asm__ volatile("csrw pmpaddr0, %0\n csrw pmpcfg0, %1" ::"r"(-1ul), "r"(0x1f));
    __asm__ volatile("csrs mstatus, %0" ::"r"(0x800)); // MPP: S
    space(1);
    if (mapped(own) != 5 || mapped(all) != 5) {
        return WRONG;
    }
    *(volatile uint64_t *)&last[5] = ((DATA + 0x1000) >> 2) | LEAF;
    *(volatile uint64_t *)&last[6] = ((DATA + 0x1000) >> 2) | LEAF | GLOBAL;
    __asm__ volatile("fence rw, rw" ::: "memory");
    space(2);
    uint64_t seen = mapped(own) * 10 + mapped(all);
    space(1);
    seen = seen * 10 + mapped(own);
    __asm__ volatile("sfence.vma zero, %0" ::"r"(1) : "memory");
    seen = seen * 100 + mapped(own) * 10 + mapped(all);
    __asm__ volatile("sfence.vma" ::: "memory");
    return seen * 10 + mapped(all);
}
#elif RULE == STALE_PAGE
static uint64_t measure(uint64_t hart) {
    root[1] = ((uint64_t)middle >> 2) | NEXT;
    middle[0] = ((uint64_t)last >> 2) | NEXT;
    last[5] = (DATA >> 2) | LEAF;
    *(volatile uint64_t *)DATA = 5;
    *(volatile uint64_t *)(DATA + 0x1000) = 7;
    uint64_t satp = 8ul << 60 | (uint64_t)root >> 12, place = VIRTUAL + 0x5000;
    __asm__ volatile("csrw pmpaddr0, %0\n csrw pmpcfg0, %1" ::"r"(-1ul), "r"(0x1f));
    __asm__ volatile("csrw satp, %0\n csrs mstatus, %1\n sfence.vma" ::"r"(satp), "r"(0x800)
                     : "memory"); // MPP: S
    uint64_t before = mapped(place);
    *(volatile uint64_t *)&last[5] = ((DATA + 0x1000) >> 2) | LEAF;
    __asm__ volatile("fence rw, rw" ::: "memory");
    uint64_t stale = mapped(place);
    // These fences are for another page and another address space.
    __asm__ volatile("sfence.vma %0, zero\n sfence.vma zero, %1" ::"r"(place + 0x1000), "r"(1)
                     : "memory");
    stale = stale * 10 + mapped(place);
    __asm__ volatile("sfence.vma %0, zero" ::"r"(place) : "memory");
    return before == 5 ? stale * 10 + mapped(place) : WRONG;
}
#else
static uint64_t measure(uint64_t hart) {
    // At DATA + i: in a gigapage at the same address, in a megapage, and in a page of 4 KiB (the
    // second table's second entry).
    uint64_t places[] = {0, DATA, VIRTUAL + 0x3008, VIRTUAL + 2 * MIB + 0x5010};
    root[2] = (0x80000000 >> 2) | LEAF;
    root[1] = ((uint64_t)middle >> 2) | NEXT;
    middle[0] = (DATA >> 2) | LEAF;
    middle[1] = ((uint64_t)last >> 2) | NEXT;
    last[5] = ((DATA + 0x7000) >> 2) | LEAF;
    *(volatile uint64_t *)DATA = 1;
    *(volatile uint64_t *)(DATA + 0x3008) = 2;
    *(volatile uint64_t *)(DATA + 0x7010) = 3;
    uint64_t satp = 8ul << 60 | (uint64_t)root >> 12, took = 0, value = 0;
    __asm__ volatile("csrw pmpaddr0, %0\n csrw pmpcfg0, %1" ::"r"(-1ul), "r"(0x1f));
    __asm__ volatile("csrw satp, %0\n csrs mstatus, %1" ::"r"(satp), "r"(0x800)); // MPP: S
    for (int round = 0; round < 2; round++) {
        uint64_t begin, end;
        __asm__ volatile("sfence.vma\n csrs mstatus, %4\n csrr %0, mcycle\n ld %2, 0(%3)\n csrr "
                         "%1, mcycle\n csrc mstatus, %4"
                         : "=&r"(begin), "=&r"(end), "=&r"(value)
                         : "r"(places[LEVELS]), "r"(0x20000)
                         : "memory");
        took = end - begin;
    }
    return value == LEVELS ? took : WRONG;
}
#endif
#endif

#if RULE == STREAM
uint64_t pages[1024] __attribute__((aligned(4096)));

static uint64_t measure(uint64_t hart) {
    for (int line = 0; line <= LAST; line++) {
        (void)((volatile uint64_t *)pages)[line * 8];
    }
    // Until all that was asked for is there.
    for (int i = 0; i < 2000; i++) {
        BETWEEN;
    }
    return 0;
}
#endif

#if RULE == WAKE || RULE == TIMER
static uint64_t measure(uint64_t hart) {
    if (hart == 1) {
        uint64_t pending;
#if RULE == TIMER
        ((volatile uint64_t *)0x2004000)[1] = 200;
#endif
        __asm__ volatile("csrw mie, %0" ::"r"(0x88));
        do {
            __asm__ volatile("wfi\n csrr %0, mip" : "=r"(pending));
        } while ((pending & 0x88) == 0);
        return cycles();
    }
#if RULE == WAKE
    while (cycles() < 5000) {
    }
    ((volatile uint32_t *)0x2000000)[1] = 1;
#endif
    return 0;
}
#endif

#if RULE == PATCH || RULE == STALE_CODE
__asm__("    .data\n    .balign 64\nnumber: li a0, 5\n    ret\n    .text\n");
uint64_t number(void);

static uint64_t measure(uint64_t hart) {
    volatile uint16_t *code = (volatile uint16_t *)number;
    if (number() != 5) {
        return WRONG;
    }
    *code = 0x451d; // c.li a0, 7
#if RULE == STALE_CODE
    __asm__ volatile("fence rw, rw" ::: "memory");
    uint64_t stale = number();
    __asm__ volatile("fence.i" ::: "memory");
    return stale * 10 + number();
#endif
    __asm__ volatile("fence.i" ::: "memory");
    return number() == 7 ? 7 : WRONG;
}
#endif

#if RULE == THRASH
static uint64_t measure(uint64_t hart) {
    for (int i = 0; i < 200; i++) {
        lines[0][0]++;
        lines[4][0]++;
    }
    return lines[0][0] == 200 && lines[4][0] == 200 ? 1 : WRONG;
}
#endif

int main(uint64_t hart, uint64_t harts) {
    (void)lines;
    return measure(hart);
}
