/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX threads: each function, and the errors of the standard. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { POOL = 8, WORKERS = POOL - 1, ROUNDS = 200 };

static void *give_back(void *argument) {
    return argument;
}

/* Creates a thread, and retries while entries of detached threads are not free yet. */
static void create(pthread_t *thread, void *(*start)(void *), void *argument) {
    int error;
    while ((error = pthread_create(thread, 0, start, argument)) == EAGAIN) {
        sched_yield();
    }
    CHECK_IS(error, 0);
}

/* Runs a function in all threads of the pool; each gets its number. */
static void run_all(void *(*start)(void *)) {
    pthread_t threads[WORKERS];
    for (uintptr_t number = 0; number < WORKERS; number++) {
        create(&threads[number], start, (void *)number);
    }
    for (uintptr_t number = 0; number < WORKERS; number++) {
        void *result;
        CHECK_IS(pthread_join(threads[number], &result), 0);
        CHECK_IS((uintptr_t)result, number);
    }
}

/* --- Threads -----------------------------------------------------------------------------------
 */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *argument) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return argument;
}

static void *leave(void *argument) {
    pthread_exit(argument);
}

static unsigned detached_count;

static void *count_detached(void *argument) {
    __atomic_fetch_add(&detached_count, 1, __ATOMIC_RELAXED);
    return 0;
}

static void *join_other(void *other) {
    CHECK_IS(pthread_join(*(pthread_t *)other, 0), 0);
    return 0;
}

static void test_pool(void) {
    pthread_t threads[WORKERS], other;
    pthread_mutex_lock(&gate);
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_create(&threads[number], 0, wait_at_gate, 0), 0);
    }
    CHECK_IS(pthread_create(&other, 0, give_back, 0), EAGAIN);
    pthread_mutex_unlock(&gate);
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
        CHECK_IS(pthread_join(threads[number], 0), ESRCH);
        CHECK_IS(pthread_detach(threads[number]), ESRCH);
    }
    for (int round = 0; round < 4 * POOL; round++) {
        void *result = 0;
        CHECK_IS(pthread_create(&other, 0, round % 2 ? leave : give_back, &round), 0);
        CHECK_IS(pthread_join(other, &result), 0);
        CHECK(result == &round);
    }
}

static void test_join_and_detach(void) {
    pthread_t self = pthread_self(), other;
    CHECK(pthread_equal(self, pthread_self()));
    CHECK_IS(pthread_join(self, 0), EDEADLK);
    CHECK_IS(pthread_join(0, 0), ESRCH);
    CHECK_IS(pthread_join(POOL + 1, 0), ESRCH);

    pthread_mutex_lock(&gate);
    CHECK_IS(pthread_create(&other, 0, wait_at_gate, 0), 0);
    CHECK(!pthread_equal(self, other));
    CHECK_IS(pthread_detach(other), 0);
    CHECK_IS(pthread_detach(other), EINVAL);
    CHECK_IS(pthread_join(other, 0), EINVAL);
    pthread_mutex_unlock(&gate);

    pthread_attr_t attributes;
    size_t size;
    int state;
    CHECK_IS(pthread_attr_init(&attributes), 0);
    CHECK_IS(pthread_attr_setdetachstate(&attributes, 7), EINVAL);
    CHECK_IS(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED), 0);
    CHECK_IS(pthread_attr_getdetachstate(&attributes, &state), 0);
    CHECK_IS(state, PTHREAD_CREATE_DETACHED);
    CHECK_IS(pthread_attr_setstacksize(&attributes, 1 << 30), EINVAL);
    CHECK_IS(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
    CHECK_IS(pthread_attr_getstacksize(&attributes, &size), 0);
    CHECK_IS(size, PTHREAD_STACK_MIN);
    for (unsigned count = 0; count < 3 * POOL;) {
        int error = pthread_create(&other, &attributes, count_detached, 0);
        count += error == 0;
        CHECK(error == 0 || error == EAGAIN);
        sched_yield();
    }
    while (__atomic_load_n(&detached_count, __ATOMIC_RELAXED) < 3 * POOL) {
        nanosleep(&(struct timespec){.tv_nsec = 10000}, 0);
    }

    pthread_t waiter;
    pthread_mutex_lock(&gate);
    create(&other, wait_at_gate, 0);
    create(&waiter, join_other, &other);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, 0);
    CHECK_IS(pthread_join(other, 0), EINVAL); /* another thread waits for it */
    CHECK_IS(pthread_detach(other), EINVAL);
    pthread_mutex_unlock(&gate);
    CHECK_IS(pthread_join(waiter, 0), 0);
}

/* --- Thread-local storage ----------------------------------------------------------------------
 */

static _Thread_local int initialised = 7, zeroed;
static pthread_key_t key;
static unsigned destroyed;

static void destroy(void *value) {
    __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
    if (value == &initialised) {
        pthread_setspecific(key, &destroyed);
    }
}

static void *use_storage(void *argument) {
    CHECK_IS(initialised, 7);
    CHECK_IS(zeroed, 0);
    CHECK(pthread_getspecific(key) == 0);
    initialised = zeroed = 99;
    errno = (int)(uintptr_t)argument + 1;
    CHECK_IS(pthread_setspecific(key, argument == 0 ? (void *)&initialised : &key), 0);
    for (int round = 0; round < 3; round++) {
        sched_yield();
        CHECK_IS(errno, (int)(uintptr_t)argument + 1);
    }
    CHECK(pthread_getspecific(key) != 0);
    return argument;
}

static void test_storage(void) {
    CHECK_IS(pthread_key_create(&key, destroy), 0);
    for (int round = 0; round < 3; round++) {
        errno = 1234;
        destroyed = 0;
        run_all(use_storage);
        CHECK_IS(errno, 1234);
        /* The first thread's destructor sets a value again, which another round destroys. */
        CHECK_IS(destroyed, WORKERS + 1);
    }
    CHECK_IS(pthread_setspecific(key, &key), 0);
    CHECK_IS(pthread_key_delete(key), 0);
    CHECK_IS(pthread_key_delete(key), EINVAL);
    CHECK_IS(pthread_setspecific(key, 0), EINVAL);
    CHECK_IS(pthread_setspecific(PTHREAD_KEYS_MAX, 0), EINVAL);
    pthread_key_t keys[PTHREAD_KEYS_MAX], more;
    for (int index = 0; index < PTHREAD_KEYS_MAX; index++) {
        CHECK_IS(pthread_key_create(&keys[index], 0), 0);
        CHECK(pthread_getspecific(keys[index]) == 0);
    }
    CHECK_IS(pthread_key_create(&more, 0), EAGAIN);
    for (int index = 0; index < PTHREAD_KEYS_MAX; index++) {
        CHECK_IS(pthread_key_delete(keys[index]), 0);
    }
}

/* --- Mutexes -----------------------------------------------------------------------------------
 */

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned guarded; /* volatile: read and written in two steps */

static void *increment(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_IS(pthread_mutex_lock(&shared), 0);
        unsigned value = guarded;
        if (round % 16 == 0) {
            sched_yield();
        }
        guarded = value + 1;
        CHECK_IS(pthread_mutex_unlock(&shared), 0);
    }
    return argument;
}

static struct timespec in(clockid_t clock, long nanoseconds) {
    struct timespec now;
    clock_gettime(clock, &now);
    long sum = now.tv_nsec + nanoseconds;
    return (struct timespec){.tv_sec = now.tv_sec + sum / 1000000000, .tv_nsec = sum % 1000000000};
}

static void *try_shared(void *argument) {
    struct timespec soon = in(CLOCK_REALTIME, 50000), wrong = {.tv_nsec = 1000000000};
    CHECK_IS(pthread_mutex_trylock(&shared), EBUSY);
    CHECK_IS(pthread_mutex_unlock(&shared), EPERM);
    CHECK_IS(pthread_mutex_timedlock(&shared, &wrong), EINVAL);
    CHECK_IS(pthread_mutex_timedlock(&shared, &soon), ETIMEDOUT);
    return argument;
}

static unsigned timeouts;

/* Some lock attempts time out: no thread is lost, and no two threads hold the mutex. */
static void *lock_in_time(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        struct timespec soon = in(CLOCK_REALTIME, 3000 * (round % 7));
        int error = pthread_mutex_timedlock(&shared, &soon);
        CHECK(error == 0 || error == ETIMEDOUT);
        if (error == 0) {
            unsigned value = guarded;
            sched_yield();
            guarded = value + 1;
            __atomic_fetch_add(&detached_count, 1, __ATOMIC_RELAXED);
            pthread_mutex_unlock(&shared);
        } else {
            __atomic_fetch_add(&timeouts, 1, __ATOMIC_RELAXED);
        }
    }
    return argument;
}

static void test_mutex(void) {
    run_all(increment);
    CHECK_IS(guarded, WORKERS * ROUNDS);
    CHECK_IS(pthread_mutex_lock(&shared), 0);
    CHECK_IS(pthread_mutex_destroy(&shared), EBUSY);
    run_all(try_shared);
    CHECK_IS(pthread_mutex_unlock(&shared), 0);
    CHECK_IS(pthread_mutex_unlock(&shared), EPERM);
    guarded = detached_count = 0;
    run_all(lock_in_time);
    CHECK_IS(guarded, detached_count);
    CHECK(detached_count > 0 && timeouts > 0);
    CHECK_IS(pthread_mutex_trylock(&shared), 0);
    CHECK_IS(pthread_mutex_unlock(&shared), 0);
    CHECK_IS(pthread_mutex_destroy(&shared), 0);
}

static void test_mutex_types(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    int value;
    CHECK_IS(pthread_mutexattr_init(&attributes), 0);
    CHECK_IS(pthread_mutexattr_settype(&attributes, 3), EINVAL);
    CHECK_IS(pthread_mutexattr_setprotocol(&attributes, 9), EINVAL);
    CHECK_IS(pthread_mutexattr_getprotocol(&attributes, &value), 0);
    CHECK_IS(value, PTHREAD_PRIO_NONE);

    CHECK_IS(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK), 0);
    CHECK_IS(pthread_mutex_init(&mutex, &attributes), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), EPERM);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), EDEADLK);
    CHECK_IS(pthread_mutex_trylock(&mutex), EBUSY);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);

    CHECK_IS(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE), 0);
    CHECK_IS(pthread_mutexattr_gettype(&attributes, &value), 0);
    CHECK_IS(value, PTHREAD_MUTEX_RECURSIVE);
    CHECK_IS(pthread_mutex_init(&mutex, &attributes), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    CHECK_IS(pthread_mutex_trylock(&mutex), 0);
    for (int depth = 0; depth < 3; depth++) {
        CHECK_IS(pthread_mutex_destroy(&mutex), EBUSY);
        CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    }
    CHECK_IS(pthread_mutex_unlock(&mutex), EPERM);
    CHECK_IS(pthread_mutex_destroy(&mutex), 0);
    CHECK_IS(pthread_mutexattr_destroy(&attributes), 0);
}

/* --- Condition variables -----------------------------------------------------------------------
 */

static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned queue_length, produced, consumed;

/* Threads with even numbers produce, the others consume; the store has room for three. */
static void *produce_or_consume(void *argument) {
    bool produces = (uintptr_t)argument % 2 == 0;
    unsigned *done = produces ? &produced : &consumed;
    pthread_mutex_lock(&queue_mutex);
    while (*done < 3 * ROUNDS) {
        if (produces ? queue_length == 3 : queue_length == 0) {
            if (!produces && produced >= 3 * ROUNDS) {
                break;
            }
            CHECK_IS(pthread_cond_wait(produces ? &not_full : &not_empty, &queue_mutex), 0);
            continue;
        }
        queue_length += produces ? 1u : -1u;
        ++*done;
        pthread_cond_signal(produces ? &not_empty : &not_full);
    }
    pthread_cond_broadcast(&not_empty);
    pthread_cond_broadcast(&not_full);
    pthread_mutex_unlock(&queue_mutex);
    return argument;
}

static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static unsigned waiting, is_released;

static void *wait_for_release(void *argument) {
    pthread_mutex_lock(&shared);
    waiting++;
    while (!is_released) {
        CHECK_IS(pthread_cond_wait(&released, &shared), 0);
    }
    pthread_mutex_unlock(&shared);
    return argument;
}

static void test_broadcast(void) {
    pthread_t threads[WORKERS];
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_create(&threads[number], 0, wait_for_release, 0), 0);
    }
    for (bool all = false; !all; sched_yield()) {
        pthread_mutex_lock(&shared);
        all = waiting == WORKERS;
        pthread_mutex_unlock(&shared);
    }
    CHECK_IS(pthread_cond_destroy(&released), EBUSY);
    pthread_mutex_lock(&shared);
    is_released = 1;
    CHECK_IS(pthread_cond_broadcast(&released), 0);
    pthread_mutex_unlock(&shared);
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
    }
    CHECK_IS(pthread_cond_destroy(&released), 0);
}

static void test_condition(void) {
    run_all(produce_or_consume);
    CHECK_IS(produced, 3 * ROUNDS);
    CHECK_IS(consumed, 3 * ROUNDS);
    CHECK_IS(queue_length, 0);
    test_broadcast();

    pthread_condattr_t attributes;
    pthread_cond_t condition;
    clockid_t clock;
    struct timespec wrong = {.tv_nsec = -1};
    CHECK_IS(pthread_condattr_init(&attributes), 0);
    CHECK_IS(pthread_condattr_setclock(&attributes, 77), EINVAL);
    CHECK_IS(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), 0);
    CHECK_IS(pthread_condattr_getclock(&attributes, &clock), 0);
    CHECK_IS(clock, CLOCK_MONOTONIC);
    CHECK_IS(pthread_cond_init(&condition, &attributes), 0);
    struct timespec soon = in(CLOCK_MONOTONIC, 40000);
    CHECK_IS(pthread_cond_wait(&condition, &shared), EPERM);
    pthread_mutex_lock(&shared);
    CHECK_IS(pthread_cond_timedwait(&condition, &shared, &wrong), EINVAL);
    CHECK_IS(pthread_cond_timedwait(&condition, &shared, &soon), ETIMEDOUT);
    CHECK_IS(pthread_mutex_unlock(&shared), 0); /* the caller holds it again */
    struct timespec now = in(CLOCK_MONOTONIC, 0);
    CHECK(now.tv_sec > soon.tv_sec || now.tv_nsec >= soon.tv_nsec);
    CHECK_IS(pthread_cond_signal(&condition), 0);
    CHECK_IS(pthread_cond_destroy(&condition), 0);
}

/* --- Barriers ----------------------------------------------------------------------------------
 */

static pthread_barrier_t barrier;
static unsigned rounds_of[WORKERS], serials;

/* No thread is more than one round ahead. */
static void *meet(void *argument) {
    uintptr_t own = (uintptr_t)argument;
    for (unsigned round = 1; round <= ROUNDS / 4; round++) {
        __atomic_store_n(&rounds_of[own], round, __ATOMIC_RELEASE);
        int result = pthread_barrier_wait(&barrier);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
            __atomic_fetch_add(&serials, 1, __ATOMIC_RELAXED);
        }
        for (int other = 0; other < WORKERS; other++) {
            unsigned its = __atomic_load_n(&rounds_of[other], __ATOMIC_ACQUIRE);
            CHECK(its == round || its == round + 1);
        }
    }
    return argument;
}

static void *arrive(void *argument) {
    pthread_barrier_wait(&barrier);
    return argument;
}

static void test_barrier(void) {
    pthread_barrierattr_t attributes;
    int is_shared;
    CHECK_IS(pthread_barrierattr_init(&attributes), 0);
    CHECK_IS(pthread_barrierattr_setpshared(&attributes, 5), EINVAL);
    CHECK_IS(pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
    CHECK_IS(pthread_barrierattr_getpshared(&attributes, &is_shared), 0);
    CHECK_IS(is_shared, PTHREAD_PROCESS_SHARED);
    CHECK_IS(pthread_barrier_init(&barrier, &attributes, 0), EINVAL);
    CHECK_IS(pthread_barrier_init(&barrier, &attributes, WORKERS), 0);
    run_all(meet);
    CHECK_IS(serials, ROUNDS / 4);
    CHECK_IS(pthread_barrier_destroy(&barrier), 0);

    pthread_t other;
    CHECK_IS(pthread_barrier_init(&barrier, 0, 2), 0);
    CHECK_IS(pthread_create(&other, 0, arrive, 0), 0);
    while (__atomic_load_n(&barrier.arrived, __ATOMIC_RELAXED) == 0) {
        sched_yield();
    }
    CHECK_IS(pthread_barrier_destroy(&barrier), EBUSY);
    pthread_barrier_wait(&barrier);
    CHECK_IS(pthread_barrier_destroy(&barrier), 0);
    pthread_join(other, 0);
}

/* --- Once, clocks ------------------------------------------------------------------------------
 */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile unsigned begun, ended;

static void do_once(void) {
    begun = begun + 1;
    nanosleep(&(struct timespec){.tv_nsec = 20000}, 0);
    ended = ended + 1;
}

static void *call_once(void *argument) {
    CHECK_IS(pthread_once(&once, do_once), 0);
    CHECK_IS(ended, 1);
    return argument;
}

static void test_clocks(void) {
    struct timespec before, after;
    CHECK_IS(clock_gettime(CLOCK_MONOTONIC, &before), 0);
    CHECK_IS(nanosleep(&(struct timespec){.tv_nsec = 150000}, 0), 0);
    CHECK_IS(clock_gettime(CLOCK_MONOTONIC, &after), 0);
    long passed = (after.tv_sec - before.tv_sec) * 1000000000L + (after.tv_nsec - before.tv_nsec);
    CHECK(passed >= 150000);
    errno = 0;
    CHECK_IS(clock_gettime(99, &before), -1);
    CHECK_IS(errno, EINVAL);
    errno = 0;
    CHECK_IS(nanosleep(&(struct timespec){.tv_nsec = 1000000000}, 0), -1);
    CHECK_IS(errno, EINVAL);
    CHECK_IS(sysconf(_SC_NPROCESSORS_ONLN), takt_cores_used());
    CHECK_IS(sysconf(-1), -1);
}

int main(int count, char **arguments) {
    CHECK_IS(count, 3);
    CHECK_IS(arguments[1][0], 'a');
    CHECK_IS(arguments[2][1], '"');
    CHECK(arguments[3] == 0);
    test_pool();
    test_join_and_detach();
    test_storage();
    test_mutex();
    test_mutex_types();
    test_condition();
    test_barrier();
    run_all(call_once);
    CHECK_IS(begun, 1);
    test_clocks();
    check_end();
}
