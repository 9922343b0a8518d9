/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of a core: the one that expires first, and a binary heap of the others. A timer that
 * is started as the first of all, and stops or expires before others are, never enters the heap.
 * Starting and stopping take O(log n) steps for the n timers of the core, all of which are known at
 * build time.
 *
 * Owned by its core, used with interrupts disabled. */
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/types.h>

#include "place.h"

/* In `place`: the timer is its core's `front`. */
#define TIMER_FRONT UINT32_MAX

struct timer {
    takt_time time;                 /* when it expires */
    void (*expire)(struct timer *); /* called with interrupts disabled, the timer stopped */
    uint32_t order;                 /* among equal times the lower one expires first */
    uint32_t place;                 /* 1 + index in the heap, TIMER_FRONT, 0: stopped */
    uint32_t expired;               /* in which call of timers_expire it was called last */
};

struct timers {
    struct timer **heap;
    struct timer *front; /* expires before all in the heap; null: the heap's first is the first */
    uint32_t count;      /* in the heap */
    uint32_t expiry;     /* calls of timers_expire so far; wraps */
    uint64_t first;      /* ticks: when the first timer expires; UINT64_MAX: there is none */
    uint64_t behind;     /* ticks: the same without `front`, while there is one; 0: not known */
    uint64_t limit;      /* ticks: when the clock interrupts in any case; UINT64_MAX: never */
};

void timer_start(struct timers *timers, struct timer *timer, takt_time time);

/* Removes a timer that runs. Most waits that end have none, and shall not be longer for it. */
OUT_OF_LINE void timer_remove(struct timers *timers, struct timer *timer);

static inline void timer_stop(struct timers *timers, struct timer *timer) {
    if (timer->place != 0) {
        timer_remove(timers, timer);
    }
}

/* Expires what is due at `ticks`, when the interrupt began, each timer at most once, so that the
 * time taken has a bound: a timer that is started again for a moment that has passed, as that of a
 * cyclic handler that is late, is due in an interrupt of its own, and so is what comes due
 * meanwhile. Then sets the core's clock interrupt. */
void timers_expire(struct timers *timers, uint64_t ticks);

/* Sets the core's clock interrupt to the first timer. Needed once, before interrupts are
 * enabled; later starts and stops do it. */
void timers_arm(struct timers *timers);

void timers_set_limit(struct timers *timers, uint64_t ticks);

/* Lets the clock interrupt at `ticks` at the latest, until the next call. O(1). */
static inline void timers_limit(struct timers *timers, uint64_t ticks) {
    if (timers->limit != ticks) {
        timers_set_limit(timers, ticks);
    }
}

#endif
