/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles from a device's edge to its service routine, and from there to a task that it wakes, on
 * the modelled board: the same in each run. The edge is the store that starts the DMA engine, which
 * reaches it as any store does, and comes back as an interrupt. */
#include "../until.h"
#include "devices.h"

#define ROUNDS 8

/* The board itself takes (boards/virt.toml) 20 cycles from the wire to the hart, and up to 100 for
 * the store; the rest is the kernel's. The limits are one and a half times the measured values, so
 * that the test fails when a change slows the path down considerably. */
#define LIMIT_ROUTINE 900
#define LIMIT_TASK    3000

static volatile uint64_t edge, in_routine, in_task;
static unsigned woken;

static uint64_t cycles(void) {
    uint64_t now;
    __asm__ volatile("rdcycle %0" : "=r"(now)::"memory");
    return now;
}

void on_second(intptr_t unused) {
    in_routine = cycles();
    second_lower();
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_came), TAKT_OK);
}

void waiter_job(intptr_t unused) {
    for (;;) {
        CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_came), TAKT_OK);
        in_task = cycles();
        count_up(&woken);
    }
}

void tests_job(intptr_t unused) {
    second_open();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        edge = cycles();
        second_raise();
        while (read_count(&woken) < round) {
        }
        unsigned routine = (unsigned)(in_routine - edge), task = (unsigned)(in_task - edge);
        printf("round %u: %u cycles to the routine, %u to the task\n", round, routine, task);
        if (round > ROUNDS / 2) { /* the caches have all of it */
            CHECK(routine < LIMIT_ROUTINE);
            CHECK(task < LIMIT_TASK);
        }
    }
    check_end();
}
