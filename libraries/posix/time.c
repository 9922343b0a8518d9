/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, sleep, and properties of the system. CLOCK_MONOTONIC is the kernel's time. CLOCK_REALTIME
 * is the kernel's calendar, which begins at 0 unless the application sets it. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <takt/posix_system.h>

#include "failed.h"
#include "process.h"
#include "waiting.h"

static bool is_time(const struct timespec *time) {
    return time->tv_nsec >= 0 && time->tv_nsec < TAKT_SECOND;
}

/* Converts to nanoseconds; a time that is too large becomes the largest number. */
static takt_time nanoseconds(const struct timespec *time) {
    takt_time sum;
    if (__builtin_mul_overflow((takt_time)time->tv_sec, TAKT_SECOND, &sum) ||
        __builtin_add_overflow(sum, (takt_time)time->tv_nsec, &sum)) {
        return time->tv_sec < 0 ? INT64_MIN : TAKT_FOR_EVER;
    }
    return sum;
}

static bool clock_now(clockid_t clock, takt_time *now) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) {
        return false;
    }
    *now = clock == CLOCK_REALTIME ? takt_calendar_now() : takt_time_now();
    return true;
}

bool time_of(clockid_t clock, const struct timespec *time, takt_time *until) {
    takt_time now;
    if (!is_time(time) || !clock_now(clock, &now)) {
        return false;
    }
    takt_time at = nanoseconds(time), base = takt_time_now();
    takt_time left = 0;
    if (at > now && __builtin_sub_overflow(at, now, &left)) {
        left = TAKT_FOR_EVER;
    }
    *until = left > TAKT_FOR_EVER - base ? TAKT_FOR_EVER : base + left;
    return true;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    takt_time now;
    if (clock == CLOCK_PROCESS_CPUTIME_ID) { /* nobody can wait for one of its times */
        now = process_time();
    } else if (!clock_now(clock, &now)) {
        return failed(EINVAL);
    }
    /* The calendar may be before the epoch, but the nanoseconds of a timespec are never negative.
     * */
    takt_time seconds = now / TAKT_SECOND - (now % TAKT_SECOND < 0);
    *time = (struct timespec){.tv_sec = seconds, .tv_nsec = now - seconds * TAKT_SECOND};
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

int clock_settime(clockid_t clock, const struct timespec *time) {
    bool settable = clock == CLOCK_REALTIME && is_time(time);
    if (!settable || takt_calendar_set(nanoseconds(time)) != TAKT_OK) {
        return failed(EINVAL);
    }
    return 0;
}

/* The unit of the kernel's time. */
int clock_getres(clockid_t clock, struct timespec *resolution) {
    takt_time now;
    if (clock != CLOCK_PROCESS_CPUTIME_ID && !clock_now(clock, &now)) {
        return failed(EINVAL);
    }
    if (resolution) {
        *resolution = (struct timespec){.tv_nsec = 1};
    }
    return 0;
}

int timespec_get(struct timespec *time, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? TIME_UTC : 0;
}

/* Sleeps until this time of the kernel; a cancellation point. In a thread, each round except the
 * last one ends with a wake-up that was meant for something else, or a request for cancellation. A
 * task of the description keeps its wake-ups. */
static void sleep_until(takt_time until) {
    bool is_thread = pthread_self() != 0;
    for (;;) {
        pthread_testcancel();
        takt_time left = until - takt_time_now();
        if (left <= 0) {
            return;
        }
        takt_error error = is_thread ? takt_task_sleep_for(left) : takt_task_delay(left);
        takt_assert(error != TAKT_E_CTX);
    }
}

/* Nothing but cancellation interrupts the sleep, so no time remains. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                    struct timespec *rest) {
    takt_time now, until;
    if (!clock_now(clock, &now) || !is_time(time) || time->tv_sec < 0) {
        return EINVAL;
    }
    if (flags & TIMER_ABSTIME) {
        time_of(clock, time, &until);
    } else if (__builtin_add_overflow(takt_time_now(), nanoseconds(time), &until)) {
        until = TAKT_FOR_EVER;
    }
    sleep_until(until);
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
    int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
    return error ? failed(error) : 0;
}

int usleep(useconds_t microseconds) {
    return nanosleep(&(struct timespec){.tv_sec = microseconds / 1000000,
                                        .tv_nsec = microseconds % 1000000 * 1000},
                     0);
}

unsigned sleep(unsigned seconds) {
    nanosleep(&(struct timespec){.tv_sec = seconds}, 0);
    return 0;
}

int sched_yield(void) {
    takt_task_rotate(TAKT_PRIORITY_SELF);
    return 0;
}

int pthread_yield(void) {
    return sched_yield();
}

long sysconf(int name) {
    switch (name) {
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return takt_cores_used();
    case _SC_PAGESIZE:
        return 4096;
    case _SC_CLK_TCK:
        return CLK_TCK;
    case _SC_HOST_NAME_MAX:
        return sizeof "polytakt" - 1;
    case _SC_PHYS_PAGES:
        return TAKT_POSIX_HEAP_SIZE / 4096;
    case _SC_THREAD_THREADS_MAX:
        return TAKT_POSIX_THREADS;
    case _SC_THREAD_KEYS_MAX:
        return PTHREAD_KEYS_MAX;
    case _SC_THREAD_STACK_MIN:
        return PTHREAD_STACK_MIN;
    case _SC_THREAD_DESTRUCTOR_ITERATIONS:
        return PTHREAD_DESTRUCTOR_ITERATIONS;
    case _SC_SEM_VALUE_MAX:
        return SEM_VALUE_MAX;
    case _SC_THREADS:
    case _SC_BARRIERS:
    case _SC_SEMAPHORES:
    case _SC_MONOTONIC_CLOCK:
    case _SC_CPUTIME:
        return 200809;
    default:
        return failed(EINVAL);
    }
}
