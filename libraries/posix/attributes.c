/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>

#include <stdbool.h>
#include <takt/posix_system.h>

#include "protocol.h"

int pthread_attr_init(pthread_attr_t *attributes) {
    *attributes = (pthread_attr_t){.detach_state = PTHREAD_CREATE_JOINABLE,
                                   .stack_size = TAKT_POSIX_STACK_SIZE,
                                   .guard_size = 4096};
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes) {
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state) {
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED) {
        return EINVAL;
    }
    attributes->detach_state = state;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state) {
    *state = attributes->detach_state;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size) {
    if (size < PTHREAD_STACK_MIN || size > TAKT_POSIX_STACK_SIZE) {
        return EINVAL;
    }
    attributes->stack_size = size;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size) {
    *size = attributes->stack_size;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t size) {
    attributes->guard_size = size;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attributes, size_t *size) {
    *size = attributes->guard_size;
    return 0;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attributes) {
    *attributes = (pthread_mutexattr_t){.type = PTHREAD_MUTEX_DEFAULT, .ceiling = HIGHEST_PRIORITY};
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes) {
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type) {
    if (type < PTHREAD_MUTEX_NORMAL || type > PTHREAD_MUTEX_ERRORCHECK) {
        return EINVAL;
    }
    attributes->type = type;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *type) {
    *type = attributes->type;
    return 0;
}

int pthread_condattr_init(pthread_condattr_t *attributes) {
    *attributes = (pthread_condattr_t){.clock = CLOCK_REALTIME};
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attributes) {
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) {
        return EINVAL;
    }
    attributes->clock = clock;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attributes, clockid_t *clock) {
    *clock = attributes->clock;
    return 0;
}

/* There is only one process, to which all threads belong. */
static int set_shared(int *shared, int value) {
    if (value != PTHREAD_PROCESS_PRIVATE && value != PTHREAD_PROCESS_SHARED) {
        return EINVAL;
    }
    *shared = value;
    return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared) {
    return set_shared(&attributes->shared, shared);
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attributes, int *shared) {
    *shared = attributes->shared;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared) {
    return set_shared(&attributes->shared, shared);
}

int pthread_condattr_getpshared(const pthread_condattr_t *attributes, int *shared) {
    *shared = attributes->shared;
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared) {
    return set_shared(&attributes->shared, shared);
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attributes, int *shared) {
    *shared = attributes->shared;
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attributes, int shared) {
    return set_shared(&attributes->shared, shared);
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attributes, int *shared) {
    *shared = attributes->shared;
    return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attributes) {
    attributes->shared = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes) {
    return 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes) {
    attributes->shared = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes) {
    return 0;
}

static int concurrency;

int pthread_setconcurrency(int level) {
    if (level < 0) {
        return EINVAL;
    }
    concurrency = level;
    return 0;
}

int pthread_getconcurrency(void) {
    return concurrency;
}
