/* SPDX-License-Identifier: Apache-2.0 */
#include "time/time.h"

#include "time/reciprocal.h"

uint64_t time_epoch = UINT64_MAX; /* before the epoch it is time 0 */

enum { SECOND = 1000000000 };

/* Constant after time_init: ticks a second. */
static struct reciprocal per_second;

/* Constant after time_set_epoch: the first second that the clock may not reach; 0 before. */
static uint64_t end_second;

void time_init(void) {
    per_second = reciprocal_of(arch_clock_hz());
}

void time_set_epoch(uint64_t ticks) {
    time_epoch = ticks;
    end_second = (UINT64_MAX - ticks) / arch_clock_hz();
}

/* Both conversions split off the seconds: exact, and no product exceeds 64 bits for clocks up to
 * 18 GHz. */

uint64_t time_to_ticks(takt_time time) {
    if ((uint64_t)time / SECOND >= end_second) {
        return UINT64_MAX; /* beyond the clock's end: never */
    }
    return time_epoch + time_duration_to_ticks(time);
}

uint64_t time_duration_to_ticks(takt_time duration) {
    uint64_t hz = arch_clock_hz(), ns = (uint64_t)duration;
    return ns / SECOND * hz + (ns % SECOND * hz + SECOND - 1) / SECOND;
}

uint64_t time_from_ticks(uint64_t ticks) {
    uint64_t rest, unused;
    uint64_t seconds = reciprocal_divide(per_second, ticks, &rest);
    return seconds * SECOND + reciprocal_divide(per_second, rest * SECOND, &unused);
}

takt_time takt_time_now(void) {
    uint64_t ticks = arch_ticks();
    return ticks < time_epoch ? 0 : (takt_time)time_from_ticks(ticks - time_epoch);
}

takt_time time_not_before_now(void) {
    return takt_time_now() + (takt_time)time_from_ticks(1) + 1;
}

takt_time time_left_until(takt_time time) {
    takt_time now = takt_time_now();
    return time > now ? time - now : 0;
}
