/* SPDX-License-Identifier: Apache-2.0 */
/* The system's time (nanoseconds since the epoch) and the machine's clock (ticks). */
#ifndef KERNEL_TIME_H
#define KERNEL_TIME_H

#include <stdint.h>

#include <takt/system.h>

#include "arch.h"

/* Ticks at time 0; written once, before any core runs tasks. Published by system_start. */
extern uint64_t time_epoch;

/* Prepares the conversions; before any core asks for the time. */
void time_init(void);

/* Sets time 0; once. */
void time_set_epoch(uint64_t ticks);

/* Returns the first tick at which `time` is reached; never before it. */
uint64_t time_to_ticks(takt_time time);

/* Returns the ticks of a duration, rounded up. */
uint64_t time_duration_to_ticks(takt_time duration);

/* Returns ticks as a duration, rounded down. */
uint64_t time_from_ticks(uint64_t ticks);

/* Returns a time that has not passed yet, the clock being within its tick: what waits from here on
 * waits long enough. */
takt_time time_not_before_now(void);

/* Returns `time + duration`, at most the end of time. Both are not negative. */
static inline takt_time time_add(takt_time time, takt_time duration) {
    return duration > INT64_MAX - time ? INT64_MAX : time + duration;
}

/* Returns what is left until `time`, 0 if it has passed. */
takt_time time_left_until(takt_time time);

#endif
