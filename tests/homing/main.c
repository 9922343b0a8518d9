/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that a core's stacks and control blocks are at home at its node: a load that only the
 * home's cache serves takes the time of the way there and back, which is exact on the board. */
#include "check.h"
#include "homing_case.h"

enum { CORES = 4, LINE = 64, CACHE = 4096, PLACES = 2 };

static const takt_id turns[] = {TAKT_SEMAPHORE_turn_0, TAKT_SEMAPHORE_turn_1, TAKT_SEMAPHORE_turn_2,
                                TAKT_SEMAPHORE_turn_3};

/* The storage behind the task's control block. It is zero, because it has no initial value. */
static _Thread_local uint64_t own[3 * LINE / sizeof(uint64_t)];

/* For each core, a line of its stack and one of its thread-local storage. */
static const volatile uint64_t *places[CORES][PLACES];
static const uint64_t other[CACHE / sizeof(uint64_t)] __attribute__((aligned(4096))) = {1};
static unsigned far;

/* Displaces all lines of the cache, with lines that are constant and that no other core has
 * changed. */
static void evict(void) {
    for (unsigned i = 0; i < CACHE / sizeof *other; i += LINE / sizeof *other) {
        *(const volatile uint64_t *)&other[i];
    }
}

/* The cycles of a load whose line is in no L1 and whose page is in the TLB. */
static unsigned long cycles_of(const volatile uint64_t *place) {
    unsigned long begin, end, value;
    value = *(const volatile uint64_t *)((uintptr_t)place ^ LINE);
    __asm__ volatile("fence\n\trdcycle %0\n\tld %2, 0(%3)\n\tadd %2, %2, zero\n\trdcycle %1"
                     : "=r"(begin), "=r"(end), "+r"(value)
                     : "r"(place)
                     : "memory");
    CHECK_IS((long)value, 0);
    return end - begin;
}

/* The least of several measurements, because a line may have left its home's cache for memory, or
 * another message may be in the way. */
static unsigned long least_cycles_of(const volatile uint64_t *place) {
    unsigned long least = -1ul;
    for (int i = 0; i < 3; i++) {
        evict();
        unsigned long cycles = cycles_of(place);
        least = cycles < least ? cycles : least;
    }
    return least;
}

static int hops(intptr_t core, intptr_t to) {
    int way = (int)(core / CORES_PER_NODE) - (int)(to / CORES_PER_NODE);
    return way < 0 ? -way : way;
}

/* Measures all lines. The first round, which does not count, makes each line one that several cores
 * have read; otherwise its last reader would be asked for it. */
static void measure(intptr_t self, bool counts) {
    unsigned long found[CORES][PLACES];
    for (unsigned core = 0; core < CORES; core++) {
        for (unsigned i = 0; i < PLACES; i++) {
            found[core][i] = least_cycles_of(places[core][i]);
        }
    }
    for (unsigned core = 0; counts && core < CORES; core++) {
        for (unsigned i = 0; i < PLACES; i++) {
            long away = (long)(found[core][i] - found[self][0]);
            long expected = 2 * HOP * hops(self, core);
            far += away != expected;
            if (TIMED && HOMED) {
                CHECK_IS(away, expected);
            }
        }
    }
}

void prober_job(intptr_t self) {
    volatile uint64_t lines[3 * LINE / sizeof(uint64_t)] = {0};
    places[self][0] = &lines[LINE / sizeof *lines];
    places[self][1] = &own[LINE / sizeof *own];
    for (int round = 0; round < 3; round++) {
        if (round > 0 || self > 0) {
            CHECK_IS(takt_semaphore_wait(turns[self]), TAKT_OK);
        }
        if (round > 0) {
            measure(self, round == 2);
        }
        evict();
        takt_semaphore_signal(turns[(self + 1) % CORES]);
    }
    if (self < CORES - 1) {
        CHECK_IS(takt_semaphore_wait(turns[self]),
                 TAKT_OK); /* the end of a job examines its stack */
    } else {
        /* Without homing the memory must lie elsewhere, or this test shows nothing. */
        CHECK(HOMED || !TIMED || far > 0);
        check_end();
    }
}
