/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes with inheritance and ceilings: who is raised, how far, and until when; then a storm after
 * which nobody is. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <takt/takt.h>

#include "check.h"

enum { MAIN = 5 }; /* POSIX's priority of main */

/* Returns the caller's present priority, as POSIX counts. */
static int present(void) {
    unsigned priority = 0;
    CHECK_IS(takt_task_priority(takt_task_self(), &priority), TAKT_OK);
    return 65 - (int)priority;
}

static void pass(long microseconds) {
    struct timespec time = {0, microseconds * 1000};
    nanosleep(&time, 0);
}

static pthread_t start(void *(*run)(void *), int priority, void *argument) {
    pthread_t thread;
    pthread_attr_t attributes;
    struct sched_param parameter = {.sched_priority = priority};
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &parameter);
    int error;
    while ((error = pthread_create(&thread, &attributes, run, argument)) == EAGAIN) {
        pass(100);
    }
    CHECK_IS(error, 0);
    return thread;
}

static void make(pthread_mutex_t *mutex, int protocol, int ceiling) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    CHECK_IS(pthread_mutexattr_setprotocol(&attributes, protocol), 0);
    CHECK_IS(pthread_mutexattr_setprioceiling(&attributes, ceiling), 0);
    CHECK_IS(pthread_mutex_init(mutex, &attributes), 0);
}

static void test_attributes(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
    int value;
    CHECK_IS(pthread_mutexattr_init(&attributes), 0);
    CHECK_IS(pthread_mutexattr_getprotocol(&attributes, &value), 0);
    CHECK_IS(value, PTHREAD_PRIO_NONE);
    CHECK_IS(pthread_mutexattr_setprotocol(&attributes, 3), EINVAL);
    CHECK_IS(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT), 0);
    CHECK_IS(pthread_mutexattr_getprotocol(&attributes, &value), 0);
    CHECK_IS(value, PTHREAD_PRIO_PROTECT);
    CHECK_IS(pthread_mutexattr_setprioceiling(&attributes, 0), EINVAL);
    CHECK_IS(pthread_mutexattr_setprioceiling(&attributes, 65), EINVAL);
    CHECK_IS(pthread_mutexattr_setprioceiling(&attributes, 7), 0);
    CHECK_IS(pthread_mutexattr_getprioceiling(&attributes, &value), 0);
    CHECK_IS(value, 7);
    CHECK_IS(pthread_mutex_getprioceiling(&plain, &value), EINVAL);
    CHECK_IS(pthread_mutex_setprioceiling(&plain, 7, &value), EINVAL);
}

static pthread_mutex_t one, two;

static void *lock_one(void *argument) {
    CHECK_IS(pthread_mutex_lock(&one), 0);
    int *order = argument;
    if (order) {
        static int next;
        *order = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);
    }
    CHECK_IS(pthread_mutex_unlock(&one), 0);
    return 0;
}

static void *lock_one_in_time(void *argument) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    CHECK_IS(pthread_mutex_timedlock(&one, &until), ETIMEDOUT);
    return argument;
}

/* The main thread owns the mutex; threads of both cores wait for it. */
static void test_inheritance(void) {
    int orders[3];
    make(&one, PTHREAD_PRIO_INHERIT, 1);
    CHECK_IS(pthread_mutex_lock(&one), 0);
    CHECK_IS(pthread_mutex_trylock(&one), EBUSY);
    CHECK_IS(pthread_mutex_destroy(&one), EBUSY);
    CHECK_IS(present(), MAIN);
    pthread_t low = start(lock_one, 10, &orders[0]);
    pass(200);
    CHECK_IS(present(), 10);
    pthread_t high = start(lock_one, 30, &orders[1]);
    pass(200);
    CHECK_IS(present(), 30);
    pthread_t middle = start(lock_one, 20, &orders[2]);
    pthread_t brief = start(lock_one_in_time, 40, 0);
    pass(200);
    CHECK_IS(present(), 40);
    CHECK_IS(pthread_join(brief, 0), 0);
    CHECK_IS(present(), 30); /* it has given up */
    struct sched_param parameter = {.sched_priority = 50};
    CHECK_IS(pthread_setschedparam(low, SCHED_FIFO, &parameter), 0);
    CHECK_IS(present(), 50); /* one that waits is raised itself */
    parameter.sched_priority = 12;
    CHECK_IS(pthread_setschedparam(low, SCHED_FIFO, &parameter), 0);
    CHECK_IS(present(), 30);
    parameter.sched_priority = 35; /* the owner's own priority counts, too */
    CHECK_IS(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter), 0);
    CHECK_IS(present(), 35);
    parameter.sched_priority = 0;
    CHECK_IS(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter), 0);
    CHECK_IS(present(), 30);
    CHECK_IS(pthread_mutex_unlock(&one), 0);
    CHECK_IS(present(), MAIN);
    CHECK_IS(pthread_join(low, 0), 0);
    CHECK_IS(pthread_join(middle, 0), 0);
    CHECK_IS(pthread_join(high, 0), 0);
    CHECK_IS(orders[1], 1); /* the highest first */
    CHECK_IS(orders[2], 2);
    CHECK_IS(orders[0], 3);
    CHECK_IS(pthread_mutex_destroy(&one), 0);
}

static volatile int raised_to;

static void *lock_two_then_one(void *argument) {
    CHECK_IS(pthread_mutex_lock(&two), 0);
    CHECK_IS(pthread_mutex_lock(&one), 0);
    raised_to = present();
    CHECK_IS(pthread_mutex_unlock(&one), 0);
    CHECK_IS(pthread_mutex_unlock(&two), 0);
    CHECK_IS(present(), 10);
    return argument;
}

static void *lock_two(void *argument) {
    CHECK_IS(pthread_mutex_lock(&two), 0);
    CHECK_IS(pthread_mutex_unlock(&two), 0);
    return argument;
}

/* Main owns one; a thread waits for it and owns two; another waits for two, and raises both. */
static void test_chain(void) {
    make(&one, PTHREAD_PRIO_INHERIT, 1);
    make(&two, PTHREAD_PRIO_INHERIT, 1);
    CHECK_IS(pthread_mutex_lock(&one), 0);
    pthread_t between = start(lock_two_then_one, 10, 0);
    pass(200);
    CHECK_IS(present(), 10);
    pthread_t high = start(lock_two, 33, 0);
    pass(200);
    CHECK_IS(present(), 33);
    CHECK_IS(pthread_mutex_unlock(&one), 0);
    CHECK_IS(present(), MAIN);
    CHECK_IS(pthread_join(between, 0), 0);
    CHECK_IS(pthread_join(high, 0), 0);
    CHECK_IS(raised_to, 33);
}

static void *lock_above_ceiling(void *argument) {
    CHECK_IS(pthread_mutex_lock(&one), EINVAL);
    CHECK_IS(pthread_mutex_trylock(&one), EINVAL);
    return argument;
}

static void test_ceiling(void) {
    int former, order;
    make(&one, PTHREAD_PRIO_PROTECT, 25);
    make(&two, PTHREAD_PRIO_PROTECT, 20);
    CHECK_IS(pthread_mutex_lock(&one), 0);
    CHECK_IS(present(), 25);
    CHECK_IS(pthread_mutex_lock(&two), 0);
    CHECK_IS(present(), 25);
    pthread_t other = start(lock_one, 22, &order);
    pass(200);
    CHECK_IS(pthread_mutex_unlock(&one), 0);
    CHECK_IS(present(), 20);
    CHECK_IS(pthread_mutex_unlock(&two), 0);
    CHECK_IS(present(), MAIN);
    CHECK_IS(pthread_join(other, 0), 0);
    other = start(lock_above_ceiling, 26, 0);
    CHECK_IS(pthread_join(other, 0), 0);
    CHECK_IS(pthread_mutex_setprioceiling(&one, 30, &former), 0);
    CHECK_IS(former, 25);
    CHECK_IS(pthread_mutex_getprioceiling(&one, &former), 0);
    CHECK_IS(former, 30);
    CHECK_IS(present(), MAIN);
    other = start(lock_one, 30, &order);
    CHECK_IS(pthread_join(other, 0), 0);
}

/* A low thread of main's core owns the mutex, a middle one computes, and a third waits: without
 * inheritance until the middle one has ended. */
/* No bool: with checks for undefined behaviour GCC 12 reads a volatile bool once for a whole loop.
 */
static volatile int computing, done;

static void *own_one(void *argument) {
    CHECK_IS(pthread_mutex_lock(&one), 0);
    pass(400);
    CHECK_IS(pthread_mutex_unlock(&one), 0);
    return argument;
}

static void *compute(void *argument) {
    computing = 1;
    while (!done) {
    }
    return argument;
}

static void *end_computing(void *argument) {
    pass(200);
    CHECK_IS(pthread_mutex_lock(&one), 0);
    CHECK(computing);
    done = 1;
    CHECK_IS(pthread_mutex_unlock(&one), 0);
    return argument;
}

static void test_inversion(void) {
    pthread_t threads[4];
    make(&one, PTHREAD_PRIO_INHERIT, 1);
    /* The pool goes round the cores: each kind has a thread on each. */
    threads[0] = start(own_one, 10, 0);
    pass(50);
    threads[1] = start(end_computing, 30, 0);
    threads[2] = start(compute, 20, 0);
    threads[3] = start(compute, 20, 0);
    for (int index = 0; index < 4; index++) {
        CHECK_IS(pthread_join(threads[index], 0), 0);
    }
    CHECK(done);
}

/* --- The storm ----------------------------------------------------------------------------------
 */

enum { MUTEXES = 5, TURNS = 60, STORMERS = 8 };

static pthread_mutex_t all[MUTEXES];
static int counts[MUTEXES]; /* each guarded by its mutex */
static unsigned given_up;

/* Nothing raises the caller any more, once those that handed mutexes over have finished. */
static void check_settles(void) {
    struct sched_param parameter;
    int policy;
    CHECK_IS(pthread_getschedparam(pthread_self(), &policy, &parameter), 0);
    for (int tries = 0; tries < 20 && present() != parameter.sched_priority; tries++) {
        pass(50);
    }
    CHECK_IS(present(), parameter.sched_priority);
}

static void *storm(void *argument) {
    uint32_t state = (uint32_t)(uintptr_t)argument * 2654435761u + 1;
    struct sched_param parameter;
    for (int turn = 0; turn < TURNS; turn++) {
        int locked[MUTEXES], number = 0;
        for (int index = 0; index < MUTEXES; index++) { /* in one order: no deadlock */
            state = state * 1664525 + 1013904223;
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += state >> 16 & 0x7fff;
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            if (state >> 30 == 0) {
                continue;
            }
            if (state >> 30 == 1 && pthread_mutex_timedlock(&all[index], &until) != 0) {
                __atomic_fetch_add(&given_up, 1, __ATOMIC_RELAXED);
                continue;
            } else if (state >> 30 > 1) {
                CHECK_IS(pthread_mutex_lock(&all[index]), 0);
            }
            counts[index]++;
            locked[number++] = index;
        }
        if ((state & 0x700) == 0) {
            parameter.sched_priority = 5 + 5 * (int)(state >> 11 & 3);
            CHECK_IS(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter), 0);
        }
        while (number > 0) {
            int index = locked[--number];
            counts[index]++;
            CHECK_IS(pthread_mutex_unlock(&all[index]), 0);
        }
        if (turn % 4 == 3) {
            check_settles();
        }
    }
    return argument;
}

static void test_storm(void) {
    pthread_t threads[STORMERS];
    for (int index = 0; index < MUTEXES; index++) {
        make(&all[index], index == 2 ? PTHREAD_PRIO_PROTECT : PTHREAD_PRIO_INHERIT, 45);
        counts[index] = 0;
    }
    for (uintptr_t number = 0; number < STORMERS; number++) {
        threads[number] = start(storm, 10 + 5 * (int)(number % 2), (void *)(number + 1));
    }
    int sum = 0;
    for (int number = 0; number < STORMERS; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
    }
    for (int index = 0; index < MUTEXES; index++) {
        CHECK_IS(pthread_mutex_destroy(&all[index]), 0);
        CHECK_IS(counts[index] % 2, 0);
        sum += counts[index];
    }
    CHECK(sum > STORMERS * TURNS);
    CHECK_IS(present(), MAIN);
}

int main(void) {
    test_attributes();
    CHECK_IS(present(), MAIN);
    test_inheritance();
    test_chain();
    test_ceiling();
    test_inversion();
    test_storm();
    printf("%u gave up\n", given_up);
    check_end();
}
