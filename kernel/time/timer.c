/* SPDX-License-Identifier: Apache-2.0 */
#include "time/timer.h"

#include "kernel_choice.h"
#include "time/time.h"

static bool earlier(const struct timer *a, const struct timer *b) {
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void timers_put(struct timers *timers, uint32_t index, struct timer *timer) {
    timers->heap[index] = timer;
    timer->place = index + 1;
}

/* Bound of both: the heap's depth, log2 of the count. */
static void sift_up(struct timers *timers, uint32_t index, struct timer *timer) {
    while (index > 0 && earlier(timer, timers->heap[(index - 1) / 2])) {
        timers_put(timers, index, timers->heap[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    timers_put(timers, index, timer);
}

static void sift_down(struct timers *timers, uint32_t index, struct timer *timer) {
    for (;;) {
        uint32_t child = 2 * index + 1;
        if (child + 1 < timers->count && earlier(timers->heap[child + 1], timers->heap[child])) {
            child++;
        }
        if (child >= timers->count || !earlier(timers->heap[child], timer)) {
            timers_put(timers, index, timer);
            return;
        }
        timers_put(timers, index, timers->heap[child]);
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

static uint64_t ticks_of_heap(const struct timers *timers) {
    return timers->count == 0 ? UINT64_MAX : time_to_ticks(timers->heap[0]->time);
}

void timers_arm(struct timers *timers) {
    timers->first = timers->front != 0 ? time_to_ticks(timers->front->time) : ticks_of_heap(timers);
    timers->behind = 0; /* what is noted there may be from before the epoch */
    set_clock(timers);
}

void timers_set_limit(struct timers *timers, uint64_t ticks) {
    timers->limit = ticks;
    set_clock(timers);
}

/* Puts a timer into the heap, which is not earlier than `front`. */
static void heap_insert(struct timers *timers, struct timer *timer) {
    sift_up(timers, timers->count++, timer);
    if (timer->place == 1) {
        timers->behind = 0;
    }
}

/* Makes a timer the front that is earlier than all others. */
static void put_front(struct timers *timers, struct timer *timer) {
    if (timers->front != 0) {
        heap_insert(timers, timers->front);
    }
    timers->front = timer;
    timer->place = TIMER_FRONT;
    timers->behind = timers->first;
    timers->first = time_to_ticks(timer->time);
    set_clock(timers);
}

void timer_start(struct timers *timers, struct timer *timer, takt_time time) {
    timer->time = time;
    const struct timer *front = timers->front;
    bool is_first =
        front != 0 ? earlier(timer, front) : timers->count == 0 || earlier(timer, timers->heap[0]);
    if (is_first) {
        put_front(timers, timer);
    } else {
        heap_insert(timers, timer);
    }
}

/* Takes a timer out of the heap, if it is not the front, and notes when the heap's first expires.
 */
static RARE void remove_and_look(struct timers *timers, struct timer *timer) {
    if (timer->place != 0) {
        heap_remove(timers, timer);
    }
    timers->first = ticks_of_heap(timers);
}

/* Takes out the front, or the heap's first where there is none. */
static inline void remove_first(struct timers *timers, struct timer *timer) {
    if (timer == timers->front) {
        timers->front = 0;
        timer->place = 0;
        timers->first = timers->behind;
    }
    if (timer->place != 0 || timers->first == 0) {
        remove_and_look(timers, timer);
    }
}

static RARE void remove_first_and_set_clock(struct timers *timers, struct timer *timer) {
    remove_first(timers, timer);
    set_clock(timers);
}

void timer_remove(struct timers *timers, struct timer *timer) {
    bool is_heaps_first = timer->place == 1;
    if (timer->place == TIMER_FRONT || (is_heaps_first && timers->front == 0)) {
        remove_first_and_set_clock(timers, timer);
        return;
    }
    timers->behind = is_heaps_first ? 0 : timers->behind;
    heap_remove(timers, timer);
}

void timers_expire(struct timers *timers, uint64_t ticks) {
    timers->expiry++;
    while (timers->first <= ticks) { /* bound: the timers of the core, each once */
        struct timer *timer = timers->front != 0 ? timers->front : timers->heap[0];
        if (timer->expired == timers->expiry) {
            break;
        }
        timer->expired = timers->expiry;
        remove_first(timers, timer);
        timer->expire(timer);
        MARK(timer_expired);
    }
    set_clock(timers);
}
