/* SPDX-License-Identifier: Apache-2.0 */
#include "time/timer.h"

#include "kernel_choice.h"
#include "time/time.h"

static bool earlier(const struct timer *a, const struct timer *b) {
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void put(struct timers *timers, uint32_t index, struct timer *timer) {
    timers->heap[index] = timer;
    timer->place = index + 1;
}

/* Bound of both: the heap's depth, log2 of the count. */
static void sift_up(struct timers *timers, uint32_t index, struct timer *timer) {
    while (index > 0 && earlier(timer, timers->heap[(index - 1) / 2])) {
        put(timers, index, timers->heap[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    put(timers, index, timer);
}

static void sift_down(struct timers *timers, uint32_t index, struct timer *timer) {
    for (;;) {
        uint32_t child = 2 * index + 1;
        if (child + 1 < timers->count && earlier(timers->heap[child + 1], timers->heap[child])) {
            child++;
        }
        if (child >= timers->count || !earlier(timers->heap[child], timer)) {
            put(timers, index, timer);
            return;
        }
        put(timers, index, timers->heap[child]);
        index = child;
    }
}

static void heap_remove(struct timers *timers, struct timer *timer) {
    uint32_t index = timer->place - 1;
    struct timer *last = timers->heap[--timers->count];
    timer->place = 0;
    if (last != timer) {
        sift_up(timers, index, last);
        sift_down(timers, last->place - 1, last);
    }
}

static void set_clock(const struct timers *timers) {
    bool is_limited = BUDGETS && timers->limit < timers->first;
    arch_timer_set(is_limited ? timers->limit : timers->first);
}

static void note_first(struct timers *timers) {
    timers->first = timers->count == 0 ? UINT64_MAX : time_to_ticks(timers->heap[0]->time);
}

void timers_arm(struct timers *timers) {
    note_first(timers);
    set_clock(timers);
}

void timers_set_limit(struct timers *timers, uint64_t ticks) {
    timers->limit = ticks;
    set_clock(timers);
}

void timer_start(struct timers *timers, struct timer *timer, takt_time time) {
    timer->time = time;
    sift_up(timers, timers->count++, timer);
    if (timers->heap[0] == timer) {
        timers_arm(timers);
    }
}

void timer_remove(struct timers *timers, struct timer *timer) {
    bool first = timers->heap[0] == timer;
    heap_remove(timers, timer);
    if (first) {
        timers_arm(timers);
    }
}

void timers_expire(struct timers *timers) {
    timers->expiry++;
    while (timers->first <= arch_ticks()) { /* bound: the timers of the core, each once */
        struct timer *timer = timers->heap[0];
        if (timer->expired == timers->expiry) {
            break;
        }
        timer->expired = timers->expiry;
        heap_remove(timers, timer);
        note_first(timers);
        timer->expire(timer);
        MARK(timer_expired);
    }
    set_clock(timers);
}
