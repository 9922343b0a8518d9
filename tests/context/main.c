/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that a task keeps its own registers, rounding mode, thread-local storage and errno.
 * Spinning tasks are preempted at arbitrary instructions by tasks with other values. */
#include <errno.h>

#include "until.h"

unsigned registers_spin(uint64_t pattern, uint64_t turns, uint64_t fcsr);
unsigned registers_across(uint64_t pattern, void (*call)(void), uint64_t fcsr);

enum { SPINS = 100, CROSSINGS = 40 };

static _Thread_local long answer = 42;
static _Thread_local char untouched[40];

static unsigned changed_registers, changed_storage;
static unsigned spinners_done, crossers_done, preemptions;

static uint64_t pattern_of(intptr_t argument, unsigned turn) {
    return (uint64_t)argument * UINT64_C(0x0123456789abcdef) + turn * 64;
}

/* A different rounding mode (0 to 4) and different flags for each task. */
static uint64_t fcsr_of(intptr_t argument) {
    return (uint64_t)(argument % 5) << 5 | (uint64_t)(argument * 7 % 32);
}

static void note(unsigned *counter, unsigned changes) {
    __atomic_fetch_add(counter, changes, __ATOMIC_RELAXED);
}

/* The first time a task finds the initial values in its storage, later those that it has left
 * there. */
static void check_storage(intptr_t argument, bool first) {
    long expected = first ? 42 : 1000 + argument;
    note(&changed_storage, answer != expected);
    note(&changed_storage, errno != (first ? 0 : (int)argument));
    for (unsigned i = 0; i < sizeof untouched; i++) {
        note(&changed_storage, untouched[i] != (first ? 0 : (char)argument));
    }
    for (unsigned i = 0; i < sizeof untouched; i++) {
        untouched[i] = (char)argument;
    }
    answer = 1000 + argument;
    errno = (int)argument;
}

void spinner_job(intptr_t argument) {
    check_storage(argument, true);
    for (unsigned turn = 0; turn < SPINS; turn++) {
        note(&changed_registers,
             registers_spin(pattern_of(argument, turn), 200, fcsr_of(argument)));
        check_storage(argument, false);
    }
    count_up(&spinners_done);
}

static bool seen[32];

/* Short jobs, either periodic or activated by another core. */
void preempter_job(intptr_t argument) {
    check_storage(argument, !seen[argument]);
    seen[argument] = true;
    note(&changed_registers, registers_spin(pattern_of(argument, 0), 2, fcsr_of(argument)));
    check_storage(argument, false);
    count_up(&preemptions);
}

static void delay(void) {
    takt_task_delay(30 * TAKT_MICROSECOND);
}

static void sleep(void) {
    takt_task_sleep_for(20 * TAKT_MICROSECOND);
}

static void wait(void) {
    any_result(takt_semaphore_wait_for(TAKT_SEMAPHORE_never, 10 * TAKT_MICROSECOND));
}

static void preempted(void) {
    takt_task_activate(TAKT_TASK_poked); /* a higher task, which runs inside this call */
}

void crosser_job(intptr_t argument) {
    static void (*const calls[])(void) = {delay, sleep, wait, preempted};
    check_storage(argument, true);
    for (unsigned turn = 0; turn < CROSSINGS; turn++) {
        note(&changed_registers,
             registers_across(pattern_of(argument, turn), calls[turn % 4], fcsr_of(argument)));
        check_storage(argument, false);
    }
    count_up(&crossers_done);
}

static uint64_t float_state(void) {
    uint64_t fcsr;
    __asm__ volatile("frcsr %0" : "=r"(fcsr));
    return fcsr;
}

static unsigned fresh_jobs, stale_states;

/* Every job starts with fcsr 0, whatever the task's last job or other tasks have left in it. */
void fresh_job(intptr_t argument) {
    note(&stale_states, float_state() != 0);
    takt_task_delay(10 * TAKT_MICROSECOND);
    note(&stale_states, float_state() != 0);
    __asm__ volatile("fscsr %0" ::"r"(0x7f));
    count_up(&fresh_jobs);
}

static uint32_t reserved;
static unsigned meddlings, false_pairs, pairs_tried;

/* Loads with LR and stores with SC, in between the meddler has run. */
void holder_job(intptr_t argument) {
    for (;;) {
        uint32_t before = __atomic_load_n(&meddlings, __ATOMIC_RELAXED), failed, now;
        __asm__ volatile("lr.w %1, (%2)\n"
                         "0: lw %1, (%3)\n\t"
                         "beq %1, %4, 0b\n\t"
                         "sc.w %0, %1, (%2)"
                         : "=&r"(failed), "=&r"(now)
                         : "r"(&reserved), "r"(&meddlings), "r"(before)
                         : "memory");
        note(&false_pairs, failed == 0);
        count_up(&pairs_tried);
    }
}

/* Preempts the holder, makes a reservation that it does not use, and switches back: at the end of
 * its job, or in a service. */
void meddler_job(intptr_t argument) {
    uint32_t value;
    __asm__ volatile("lr.w %0, (%1)" : "=r"(value) : "r"(&reserved) : "memory");
    if (meddlings++ % 2 == 0) {
        takt_task_delay(10 * TAKT_MICROSECOND);
    }
}

void main_job(intptr_t argument) {
    takt_time pause = 13001;
    while (read_count(&spinners_done) < 2 || read_count(&crossers_done) < 2) {
        takt_task_activate(TAKT_TASK_poked); /* an interrupt by another core */
        takt_task_activate(TAKT_TASK_fresh);
        takt_task_delay(pause += 100);
    }
    takt_task_activate(TAKT_TASK_holder); /* the last one, because it runs for ever */
    while (read_count(&pairs_tried) < 40) {
        takt_task_activate(TAKT_TASK_meddler);
        takt_task_delay(50 * TAKT_MICROSECOND);
    }
    printf("%u preempting jobs\n", preemptions);
    CHECK_IS(changed_registers, 0);
    CHECK_IS(changed_storage, 0);
    CHECK_IS(stale_states, 0);
    CHECK_IS(false_pairs, 0);
    CHECK(read_count(&preemptions) > 100);
    CHECK(read_count(&fresh_jobs) > 10);
    check_end();
}
