/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, sleep, and properties of the system. CLOCK_MONOTONIC is the kernel's time. CLOCK_REALTIME
 * is the kernel's calendar, which begins at 0 unless the application sets it. */
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <takt/posix_system.h>

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

static int failed(int error) {
    errno = error;
    return -1;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    takt_time now;
    if (!clock_now(clock, &now)) {
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

/* Nothing interrupts the sleep, so no time remains. */
int nanosleep(const struct timespec *time, struct timespec *rest) {
    if (!is_time(time) || time->tv_sec < 0) {
        return failed(EINVAL);
    }
    takt_time duration = nanoseconds(time);
    takt_assert(takt_task_delay(duration == TAKT_FOR_EVER ? duration - 1 : duration) != TAKT_E_CTX);
    return 0;
}

int sched_yield(void) {
    takt_task_rotate(TAKT_PRIORITY_SELF);
    return 0;
}

long sysconf(int name) {
    switch (name) {
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return takt_cores_used();
    case _SC_PAGESIZE:
        return 4096;
    case _SC_THREAD_THREADS_MAX:
        return TAKT_POSIX_THREADS;
    case _SC_THREAD_KEYS_MAX:
        return PTHREAD_KEYS_MAX;
    default:
        return failed(EINVAL);
    }
}
