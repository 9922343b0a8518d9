/* SPDX-License-Identifier: Apache-2.0 */
/* Tests budgets of memory traffic: the counters, the rate of cores that read and write as fast as
 * they can, and a task that keeps its core by disabled dispatch. */
#include "arch.h"
#include "check.h"
#include "core.h"

enum {
    LINES = 65536, /* each has its turn before it comes again: more than the caches hold */
    PERIOD = 100 * TAKT_MICROSECOND,
    BUDGET = 20,
    KEEPER_BUDGET = 40,
    COUNTED_PERIODS = 100,
    OVERSHOOT = 40, /* what a core has under way when its budget ends, and its kernel's */
};

struct line {
    uint64_t value, rest[7];
};

static volatile struct line lines[4][LINES] __attribute__((aligned(64)));
static uint64_t done[4][8] __attribute__((aligned(64))); /* lines so far, by core */
static takt_time kept, after;

static void note(unsigned core) {
    __atomic_fetch_add(&done[core][0], 1, __ATOMIC_RELAXED);
}

static uint64_t noted(unsigned core) {
    return __atomic_load_n(&done[core][0], __ATOMIC_RELAXED);
}

void reader_job(intptr_t argument) {
    for (unsigned at = 0;; at = (at + 1) % LINES) {
        (void)lines[1][at].value;
        note(1);
    }
}

void writer_job(intptr_t argument) {
    for (unsigned at = 0;; at = (at + 1) % LINES) {
        lines[2][at].value = at;
        note(2);
    }
}

/* Reads more than the core's budget with dispatch disabled, and enables dispatch. */
void keeper_job(intptr_t argument) {
    takt_time begin = takt_time_now();
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    for (unsigned at = 0; at < 2 * KEEPER_BUDGET; at++) {
        (void)lines[3][at].value;
    }
    kept = takt_time_now() - begin;
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    after = takt_time_now();
    __atomic_store_n(&done[3][0], 1, __ATOMIC_RELEASE);
}

static uint64_t cycles(void) {
    return csr_read(cycle);
}

/* Which of the two counters have overflowed since they were armed. The firmware leaves the others
 * disarmed. */
static unsigned long overflowed(void) {
    return csr_read(0xda0) & 3 << 3; /* scountovf */
}

/* The counters of this core, which the regulator does not use. */
static void counters_test(void) {
    unsigned long interrupts = arch_interrupts_disable();
    CHECK(arch_bandwidth_open());
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 10; i++) {
        uint64_t begin = cycles();
        arch_bandwidth_stop();
        arch_bandwidth_arm(0, 50);
        arch_bandwidth_arm(1, 1000);
        uint64_t taken = cycles() - begin;
        least = taken < least ? taken : least;
    }
    for (unsigned at = 0; at < 40; at++) {
        (void)lines[0][at].value;
    }
    CHECK((csr_read(sip) & SIE_OVERFLOW) == 0);
    CHECK(arch_bandwidth_count(0) + 50 >= 40);
    for (unsigned at = 40; at < 60; at++) {
        (void)lines[0][at].value;
    }
    CHECK(csr_read(sip) & SIE_OVERFLOW);
    CHECK_IS(overflowed(), 1 << 3); /* the counter of reads, and not that of writes */
    uint64_t count = arch_bandwidth_count(0);
    CHECK(count >= 10 && count < 30);
    arch_bandwidth_stop();
    CHECK((csr_read(sip) & SIE_OVERFLOW) == 0);
    arch_bandwidth_arm(0, 1000); /* clears the overflow */
    CHECK_IS(overflowed(), 0);
    arch_bandwidth_stop();
    csr_clear(sie, SIE_OVERFLOW);
    arch_interrupts_restore(interrupts);
    printf("both counters armed by three calls in %lu cycles\n", (unsigned long)least);
}

/* Over many periods a core reads what its budget says, and no more than it had under way. */
static void rate_test(unsigned core) {
    uint64_t before = noted(core);
    takt_task_delay(COUNTED_PERIODS * PERIOD);
    uint64_t rate = noted(core) - before;
    printf("core %u: %lu lines in %u periods\n", core, (unsigned long)rate, COUNTED_PERIODS);
    CHECK(rate <= (COUNTED_PERIODS + 1) * BUDGET + OVERSHOOT);
    CHECK(rate >= COUNTED_PERIODS * BUDGET / 2);
}

/* Waits for a moment with most of a period ahead. */
static void period_test(void) {
    takt_time now = takt_time_now();
    takt_task_delay(PERIOD - now % PERIOD + 10 * TAKT_MICROSECOND);
    now = takt_time_now();
    CHECK_IS(takt_task_activate(TAKT_TASK_keeper), TAKT_OK);
    while (__atomic_load_n(&done[3][0], __ATOMIC_ACQUIRE) == 0) {
    }
    CHECK(kept < PERIOD / 2);             /* it was not stopped in between */
    CHECK(after / PERIOD > now / PERIOD); /* but then, until the period was over */
    CHECK(after % PERIOD < 20 * TAKT_MICROSECOND);
}

void main_job(intptr_t argument) {
    counters_test();
    rate_test(1);
    rate_test(2);
    period_test();
    check_end();
}
