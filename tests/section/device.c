/* SPDX-License-Identifier: Apache-2.0 */
/* A device's interrupt for core 0, raised by core 1 again and again, while core 0 has much to make
 * up for: cyclic handlers that are late by many periods, or posts of many cores. Core 0 takes it
 * between any two of the kernel's own interrupts, each of which does a few things only. */
#include "kind.h"
#include "until.h"

/* --- The board's DMA engine: a copy of 0 bytes completes at once -------------------------------
 */

enum { LENGTH = 2, CONTROL = 3, STATUS = 4, START_AND_INTERRUPT = 3, DONE = 2 };

static volatile uint64_t *dma;

static uint64_t cycles(void) {
    uint64_t now;
    __asm__ volatile("rdcycle %0" : "=r"(now)::"memory");
    return now;
}

/* The number of cycles within which the controller has the request. */
enum { EDGE = 600 };

static uint64_t longest;
static unsigned raised, served;

void on_device(intptr_t unused) {
    dma[STATUS] = DONE;
    count_up(&served);
}

static bool waits(void) {
    bool pending = false;
    CHECK_IS(takt_interrupt_pending(TAKT_INTERRUPT_device, &pending), TAKT_OK);
    return pending;
}

/* Raises the interrupt, and measures the time until core 0 has claimed it: the longest time for
 * which the kernel keeps interrupts disabled. Its routine may then wait for further interrupts of
 * the kernel, which come first. */
static void raise(void) {
    uint64_t edge = cycles();
    dma[CONTROL] = START_AND_INTERRUPT;
    raised++;
    while (!waits() && cycles() - edge < EDGE) {
    }
    while (waits()) {
    }
    uint64_t took = cycles() - edge;
    longest = took > longest ? took : longest;
    while (read_count(&served) < raised) {
    }
    /* Without a pause core 0 would serve nothing but these interrupts. */
    takt_time end = takt_time_now() + (raised % 7) * TAKT_MICROSECOND;
    while (takt_time_now() < end) {
    }
}

static void device_open(void) {
    volatile void *registers = 0;
    CHECK_IS(takt_interrupt_registers(TAKT_INTERRUPT_device, &registers), TAKT_OK);
    dma = registers;
    dma[LENGTH] = 0;
}

static void device_check(unsigned least) {
    printf("%u interrupts meanwhile, the longest section %llu cycles\n", raised,
           (unsigned long long)longest);
    CHECK(raised >= least);
    CHECK(longest <= QUICK);
    check_end();
}

/* --- The work that core 0 is behind with -------------------------------------------------------
 */

#ifdef KIND_late

/* Cyclic handlers with a period of 50 us, all of which are 40 calls behind. */
static unsigned calls, begun, ended;

void called(intptr_t argument) {
    calls++;
}

void locker_job(intptr_t argument) {
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    takt_time end = takt_time_now() + 2 * TAKT_MILLISECOND;
    while (takt_time_now() < end) {
    }
    unsigned before = calls;
    count_up(&begun);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK);
    CHECK(calls - before >= CYCLICS * 35); /* all missed calls are made before a task runs */
    count_up(&ended);
}

void main_job(intptr_t argument) {
    device_open();
    CHECK_IS(takt_task_activate(TAKT_TASK_locker), TAKT_OK);
    while (read_count(&begun) == 0) {
    }
    while (read_count(&ended) == 0) {
        raise();
    }
    device_check(1);
}

#else

/* All other cores activate one task of core 0 after the other. */
static unsigned jobs, posted, going;

void crowd_job(intptr_t who) {
    count_up(&jobs);
}

void poster_job(intptr_t core) {
    while (read_count(&going) == 0) {
    }
    for (unsigned i = 0; i < EACH; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_crowd_0 + (unsigned)core * EACH + i), TAKT_OK);
    }
    count_up(&posted);
}

void main_job(intptr_t argument) {
    device_open();
    takt_task_delay(TAKT_MILLISECOND);
    count_up(&going);
    while (read_count(&posted) < POSTERS) {
    }
    CHECK_IS(read_count(&jobs), 0); /* most requests are still unanswered */
    while (read_count(&jobs) < EACH * POSTERS) {
        raise();
    }
    device_check(5);
}

#endif
