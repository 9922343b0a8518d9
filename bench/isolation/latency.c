/* SPDX-License-Identifier: Apache-2.0 */
/* Figure 1: how long a load from memory takes on core 0 while other cores do the same. Each core
 * goes along a list whose lines lie in one bank of the memory, and flushes each line when it has
 * left it, so that every load goes to the memory. */
#include <inttypes.h>
#include <stdio.h>

#include <takt/takt.h>

#include "bank.h" /* made by run.py: MASKS, CORES, SAME_BANK, CONTROLLERS, INTERLEAVE, ROW, MEMORY */

enum { LINE = 64, LINES = 256, LOADS = 4096, WARM_UP = 256 };

/* The image's virtual addresses have the distances of the physical ones. */
static const uintptr_t virtual_base = 0xffffffff80000000, physical_base = 0x80400000;

struct line {
    struct line *next;
    uint64_t rest[LINE / 8 - 1];
};

static struct line memory[MEMORY / LINE] __attribute__((aligned(4096)));

static uint32_t bank_of(const struct line *line) {
    static const uint64_t masks[] = {MASKS};
    uint64_t address = (uintptr_t)line - virtual_base + physical_base;
    uint32_t bank = 0;
    for (size_t bit = 0; bit < sizeof masks / sizeof masks[0]; bit++) {
        bank |= (uint32_t)__builtin_parityll(address & masks[bit]) << bit;
    }
    return bank;
}

static bool is_of_first_controller(const struct line *line) {
    uint64_t address = (uintptr_t)line - virtual_base + physical_base;
    return address / INTERLEAVE % CONTROLLERS == 0;
}

/* Links lines of the core's bank to a ring, no two of them of one row one after the other where
 * that can be. Returns one of them. */
static struct line *ring_make(uint32_t core) {
    uint32_t bank = SAME_BANK ? 0 : core, found = 0;
    struct line *first = 0, *last = 0;
    size_t count = sizeof memory / sizeof memory[0];
    /* By steps of a row and a line, modulo the memory: an odd number of lines reaches all of them.
     */
    for (size_t index = 0, step = ROW / LINE + 1; index < count && found < LINES; index++) {
        struct line *line = &memory[(index * step + core * 31) % count];
        if (line->next || bank_of(line) != bank || !is_of_first_controller(line)) {
            continue;
        }
        if (last) {
            last->next = line;
        } else {
            first = line;
        }
        line->next = first;
        last = line;
        found++;
    }
    takt_assert(found == LINES);
    return first;
}

static inline uint64_t cycles(void) {
    uint64_t count;
    __asm__ volatile("rdcycle %0" : "=r"(count));
    return count;
}

/* Loads along the ring; returns where it has come to. cbo.flush is written as a number, which the
 * assembler of GCC 12 takes without an extension. */
static struct line *walk(struct line *line, uint32_t loads) {
    for (uint32_t count = 0; count < loads; count++) {
        struct line *next = *(struct line *volatile *)&line->next;
        __asm__ volatile(".insn i 0x0f, 2, x0, 2(%0)" : : "r"(line) : "memory");
        line = next;
    }
    return line;
}

static uint32_t ready;

/* The rings are made one after the other, as each takes lines that no other has. */
void load_job(intptr_t core) {
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) != (uint32_t)core) {
    }
    struct line *line = ring_make((uint32_t)core);
    __atomic_store_n(&ready, (uint32_t)core + 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) != CORES) {
    }
    line = walk(line, WARM_UP);
    for (;;) {
        uint64_t begin = cycles();
        line = walk(line, LOADS);
        uint64_t end = cycles();
        if (core == 0) {
            printf("%" PRIu64 " cycles for %d loads\n", end - begin, LOADS);
            takt_system_shutdown(0);
        }
    }
}
