/* SPDX-License-Identifier: Apache-2.0 */
/* Two interrupts under load: other cores move, disable and enable them at any moment, and work on
 * the same objects. Each request is answered by one call of its routine, on one core at a time. */
#include "../until.h"
#include "devices.h"

#define ROUNDS 150
#define MOVERS 3

static unsigned calls[2], inside[2], taken, done, jobs;
static volatile bool over;
static _Thread_local uintptr_t
    base; /* of this core: the stack address of the first call of the lower one */
static _Thread_local int serving; /* of this core: 1 + the interrupt being served, 0: none */

/* Checks that only the second interrupt interrupts, and only the first one. Returns what it
 * interrupts. */
static int begin(int which) {
    int before = serving;
    CHECK(before == 0 || (before == 1 && which == 1));
    serving = 1 + which;
    CHECK_IS(__atomic_fetch_add(&inside[which], 1, __ATOMIC_ACQ_REL), 0);
    return before;
}

static void leave(int which, int before) {
    serving = before;
    __atomic_fetch_sub(&inside[which], 1, __ATOMIC_ACQ_REL);
}

static void end(int which, int before) {
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_came), TAKT_OK);
    takt_task_activate(which == 0 ? TAKT_TASK_near : TAKT_TASK_far); /* may be refused */
    leave(which, before);
    count_up(&calls[which]);
}

void on_received(intptr_t unused) {
    int before = begin(0);
    /* It interrupts no routine, not even one that has not reached its first instruction. */
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    base = base == 0 ? frame : base;
    CHECK_IS(frame, base);
    if (uart_lower()) {
        end(0, before);
    } else {
        leave(0, before);
    }
}

void on_second(intptr_t unused) {
    int before = begin(1);
    second_lower();
    end(1, before);
}

void counting_job(intptr_t unused) {
    count_up(&jobs);
}

void consumer_job(intptr_t unused) {
    for (;;) {
        CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_came), TAKT_OK);
        count_up(&taken);
    }
}

void mover_job(intptr_t seed) {
    uint32_t random = (uint32_t)seed * 2654435761u + 1;
    while (!over) {
        random = random * 1664525u + 1013904223u;
        takt_id which = random >> 8 & 1 ? TAKT_INTERRUPT_received : TAKT_INTERRUPT_second;
        switch (random >> 16 & 3) {
        case 0:
            CHECK_IS(takt_interrupt_disable(which), TAKT_OK);
            takt_task_delay(random >> 20 & 0xfff);
            CHECK_IS(takt_interrupt_enable(which), TAKT_OK);
            break;
        case 1:
            takt_task_delay(random >> 20 & 0x3ff);
            break;
        default:
            CHECK_IS(takt_interrupt_set_core(which, random >> 24 & 3), TAKT_OK);
        }
    }
    count_up(&done);
}

static void explain(void) {
    for (takt_id id = 1; id <= TAKT_INTERRUPTS; id++) {
        bool pending = false;
        unsigned core = 0;
        takt_interrupt_pending(id, &pending);
        takt_interrupt_core(id, &core);
        printf("interrupt %u: %u calls, %s pending, at core %u\n", (unsigned)id,
               read_count(&calls[id - 1]), pending ? "is" : "not", core);
    }
}

static void wait_for_calls(unsigned count) {
    takt_time begin = takt_time_now();
    while (read_count(&calls[0]) < count || read_count(&calls[1]) < count) {
        if (takt_time_now() - begin > 20 * TAKT_SECOND) {
            explain();
            takt_panic("an interrupt is lost");
        }
    }
}

void raiser_job(intptr_t unused) {
    uart_open();
    second_open();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        uart_raise();
        second_raise();
        wait_for_calls(round);
    }
    over = true;
    wait_until_count(&done, MOVERS);
    wait_until_count(&taken, 2 * ROUNDS);
    CHECK_IS(taken, 2 * ROUNDS);
    CHECK_IS(calls[0], ROUNDS);
    CHECK_IS(calls[1], ROUNDS);
    CHECK(jobs > 0);
    check_end();
}
