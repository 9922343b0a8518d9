/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what a switch, a wake-up of a task on another core, and the way from an interrupt to a
 * task cost. */
#include "bench.h"

enum { ROUNDS = 200, WARM = 20 };

static struct cost { uint64_t count, sum, min, max; } switches, wakeups, interrupts;
static int64_t epoch;
static volatile uint64_t begun;

static void note(struct cost *cost, uint64_t cycles) {
    if (cost->count == 0 || cycles < cost->min) {
        cost->min = cycles;
    }
    cost->max = cycles > cost->max ? cycles : cost->max;
    cost->count++;
    cost->sum += cycles;
}

static void tell(const char *name, const struct cost *cost) {
    printf("bench,%s,%lu,%lu,%lu\n", name, cost->min, cost->sum / cost->count, cost->max);
}

/* The partner is above main on main's core: `own_0` calls it, and it answers with `go_0`. On core 1
 * it only reads the counter. */
void partner_job(intptr_t core) {
    for (unsigned round = 0;; round++) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_own_0 + (unsigned)core) == TAKT_OK);
        uint64_t now = cycles();
        if (core == 1 && round >= WARM) {
            note(&wakeups, now - begun);
        }
        if (core == 0) {
            takt_semaphore_signal(TAKT_SEMAPHORE_go_0);
        }
    }
}

/* Each round is two switches: the signal wakes the partner, whose next wait returns to main. */
static void ping_pong(void) {
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        uint64_t start = cycles();
        takt_semaphore_signal(TAKT_SEMAPHORE_own_0);
        uint64_t end = cycles();
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_go_0) == TAKT_OK);
        if (round >= WARM) {
            note(&switches, (end - start) / 2);
        }
    }
}

static void wake_other_core(void) {
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        takt_task_delay(20000);
        begun = cycles();
        takt_semaphore_signal(TAKT_SEMAPHORE_own_1);
    }
}

/* The cycle of the kernel's time 0, on a board with 1 GHz; the result is up to 5 cycles early. */
static int64_t cycle_of_epoch(void) {
    int64_t least = INT64_MAX;
    for (unsigned i = 0; i < 200; i++) {
        int64_t cycle = (int64_t)cycles(), tick = (int64_t)ticks();
        least = cycle - tick * TICK < least ? cycle - tick * TICK : least;
    }
    /* The time is read at or after the tick that was read before it. */
    int64_t start = INT64_MIN;
    for (unsigned i = 0; i < 200; i++) {
        int64_t time = (int64_t)ticks() * TICK;
        time -= takt_time_now();
        start = time > start ? time : start;
    }
    return least + start;
}

/* A periodic task on core 0, which is idle. Measures from the release, when the clock reaches the
 * time for which the interrupt was programmed, to the job's first instructions. */
void timed_job(intptr_t argument) {
    (void)argument;
    int64_t now = (int64_t)cycles();
    if (epoch != 0) {
        note(&interrupts, (uint64_t)(now - epoch - takt_task_release_time()));
    }
}

void main_job(intptr_t cores) {
    (void)cores;
    takt_task_delay(TAKT_MILLISECOND);
    ping_pong();
    wake_other_core();
    epoch = cycle_of_epoch();
    takt_task_delay(20 * TAKT_MILLISECOND);
    tell("switch", &switches);
    tell("wakeup_cross_core", &wakeups);
    tell("interrupt_to_task", &interrupts);
    takt_system_shutdown(0);
}
