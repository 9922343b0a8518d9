/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `wild`: each job makes calls with arguments drawn at random, until it is ended. */
#include <takt/takt.h>

enum { CALLS_IN_JOB = 40 };

static uint64_t state, calls, jobs;
static uint64_t scratch[64]; /* all that a call may write of this partition */
static const uint64_t constant[8];

static uint64_t draw(uint64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

static uintptr_t draw_address(void) {
    const uintptr_t bases[] = {0,
                               0xffffffff80000000,
                               0xffffffff80000000 + draw(1 << 20),
                               0xffffffffc0000000,
                               0xffffffff02000000 + draw(1 << 15),
                               (uintptr_t)draw_address,
                               (uintptr_t)constant,
                               -draw(64),
                               state};
    if (draw(2) == 0) {
        return (uintptr_t)scratch + draw(sizeof scratch - 64);
    }
    return bases[draw(sizeof bases / sizeof *bases)];
}

static uintptr_t draw_id(void) {
    const uintptr_t ids[] = {draw(8), draw(8), draw(8), 1ul << 32 | draw(8), 64 + draw(8), state};
    return ids[draw(sizeof ids / sizeof *ids)];
}

/* No longer than a microsecond, if it is a time. */
static uintptr_t draw_time(void) {
    const uintptr_t times[] = {0, 1, 1000, -1ul, 1ul << 63};
    return times[draw(sizeof times / sizeof *times)];
}

static uintptr_t draw_size(void) {
    const uintptr_t sizes[] = {0, 1, 24, 32, 33, 1 << 20, 1ul << 32, -1ul, state};
    return sizes[draw(sizeof sizes / sizeof *sizes)];
}

static void call(uintptr_t number, uintptr_t first, uintptr_t second, uintptr_t third,
                 uintptr_t fourth) {
    register uintptr_t a0 __asm__("a0") = first;
    register uintptr_t a1 __asm__("a1") = second;
    register uintptr_t a2 __asm__("a2") = third;
    register uintptr_t a3 __asm__("a3") = fourth;
    register uintptr_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3)
                     : "r"(a7)
                     : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a4", "a5", "a6");
}

static void call_once(void) {
    uintptr_t number = draw(300) == 0 ? state : draw(22);
    calls++;
    switch (number) {
    case 3: /* sleep_for, delay: the first argument is a time */
    case 5:
        return call(number, draw_time(), 0, 0, 0);
    case 9: /* text: none is shown */
        return call(number, draw_address(), draw(2) ? 0 : -1ul, 0, 0);
    case 12:
        return call(number, draw_id(), draw_time(), 0, 0);
    case 19:
        return call(number, draw_id(), draw_address(), draw_address(), draw_time());
    case 0: /* these end the job: now and then */
    case 15:
    case 21:
        number = draw(16) != 0 ? 6 : number;
        return call(number, draw_address(), 0, 0, 0);
    default:
        return call(number, draw_id(), draw_address(), draw_size(), draw_time());
    }
}

void draw_job(intptr_t seed) {
    state = state == 0 ? 0x9e3779b97f4a7c15 * (uint64_t)seed : state;
    jobs++;
    for (int left = CALLS_IN_JOB; left > 0; left--) {
        call_once();
    }
}

void help_job(intptr_t argument) {
    uint64_t count[2] = {calls, jobs};
    takt_buffer_write(TAKT_BUFFER_calls, count);
    takt_semaphore_signal(TAKT_SEMAPHORE_door);
    takt_task_wakeup(TAKT_TASK_draw);
}
