/* SPDX-License-Identifier: Apache-2.0 */
#include "time/time.h"

#include "time/reciprocal.h"

uint64_t time_epoch = UINT64_MAX; /* before the epoch it is time 0 */

enum { SECOND = 1000000000 };

/* GCC divides by this constant where it is tuned to code that is short. */
static const struct reciprocal second = {.divisor = SECOND, .inverse = UINT64_MAX / SECOND};

/* Constant after time_init: ticks a second, and the nanoseconds of one, rounded up. */
static struct reciprocal per_second;
static takt_time tick;
/* The nanoseconds of a tick, where that is a whole number; else its divisor is 0. Then no duration
 * in ns has more ticks than 63 bits hold, so the clock's end is not looked for. */
static struct reciprocal whole_tick;

/* Constant after time_set_epoch: the first second that the clock may not reach; 0 before. */
static uint64_t end_second;

void time_init(void) {
    per_second = reciprocal_of(arch_clock_hz());
    if (SECOND % arch_clock_hz() == 0) {
        whole_tick = reciprocal_of(SECOND / arch_clock_hz());
    }
    tick = (takt_time)time_from_ticks(1) + 1;
}

void time_set_epoch(uint64_t ticks) {
    time_epoch = ticks;
    end_second = (UINT64_MAX - ticks) / arch_clock_hz();
}

/* Both conversions split off the seconds: exact, and no product exceeds 64 bits for clocks up to
 * 18 GHz. */

/* Returns the ticks of some seconds and `rest` ns, which is less than a second, rounded up. */
static uint64_t ticks_of(uint64_t seconds, uint64_t rest) {
    uint64_t hz = arch_clock_hz(), unused;
    return seconds * hz + reciprocal_divide(second, rest * hz + SECOND - 1, &unused);
}

/* Returns the ticks of a duration where a tick is a whole number of ns, rounded up. */
static inline uint64_t whole_ticks_of(takt_time duration) {
    uint64_t unused;
    return reciprocal_divide(whole_tick, (uint64_t)duration + whole_tick.divisor - 1, &unused);
}

uint64_t time_to_ticks(takt_time time) {
    if (__builtin_expect(whole_tick.divisor != 0, 1)) {
        return time_epoch + whole_ticks_of(time);
    }
    uint64_t rest, seconds = reciprocal_divide(second, (uint64_t)time, &rest);
    if (seconds >= end_second) {
        return UINT64_MAX; /* beyond the clock's end: never */
    }
    return time_epoch + ticks_of(seconds, rest);
}

uint64_t time_duration_to_ticks(takt_time duration) {
    if (__builtin_expect(whole_tick.divisor != 0, 1)) {
        return whole_ticks_of(duration);
    }
    uint64_t rest, seconds = reciprocal_divide(second, (uint64_t)duration, &rest);
    return ticks_of(seconds, rest);
}

uint64_t time_from_ticks(uint64_t ticks) {
    if (__builtin_expect(whole_tick.divisor != 0, 1)) {
        return ticks * whole_tick.divisor;
    }
    uint64_t rest, unused;
    uint64_t seconds = reciprocal_divide(per_second, ticks, &rest);
    return seconds * SECOND + reciprocal_divide(per_second, rest * SECOND, &unused);
}

takt_time takt_time_now(void) {
    uint64_t ticks = arch_ticks();
    return ticks < time_epoch ? 0 : (takt_time)time_from_ticks(ticks - time_epoch);
}

takt_time time_not_before_now(void) {
    return takt_time_now() + tick;
}

takt_time time_left_until(takt_time time) {
    takt_time now = takt_time_now();
    return time > now ? time - now : 0;
}
