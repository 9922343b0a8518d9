/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes, priorities, cores, clocks, and cancellation: each function, and its errors. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { CORES = 3, POOL = 8, DEFAULT = 32 };

static void pause_for(long nanoseconds) {
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, 0);
}

#define CHECK_FAILS(call, error)                                                                   \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CHECK_IS(call, -1);                                                                        \
        CHECK_IS(errno, error);                                                                    \
    } while (0)

static int join(pthread_t thread) {
    void *result = 0;
    CHECK_IS(pthread_join(thread, &result), 0);
    return (int)(intptr_t)result;
}

/* --- Cores -------------------------------------------------------------------------------------
 */

static sem_t leave;

static void *core_of_thread(void *argument) {
    if (argument) {
        sem_wait(&leave);
    }
    return (void *)(intptr_t)sched_getcpu();
}

static void test_cores(void) {
    pthread_attr_t attributes;
    pthread_t threads[POOL], more;
    cpu_set_t set, other;
    char wide[1024 / 8] = {0};
    CHECK_IS(sem_init(&leave, 0, 0), 0);
    /* In turn, although the entries of ended threads are free. */
    for (int number = 0; number < 3 * POOL; number++) {
        CHECK_IS(pthread_create(&threads[0], 0, core_of_thread, 0), 0);
        CHECK_IS(join(threads[0]), (number + 1) % CORES);
    }
    CPU_ZERO(&set);
    CHECK_IS(CPU_COUNT(&set), 0);
    CHECK_IS(pthread_attr_init(&attributes), 0);
    CHECK_IS(pthread_attr_getaffinity_np(&attributes, sizeof other, &other), 0);
    CHECK_IS(CPU_COUNT(&other), CORES);
    CHECK_IS(pthread_attr_setaffinity_np(&attributes, sizeof set, &set), EINVAL);
    CPU_SET(CORES, &set);
    CPU_SET(CPU_SETSIZE, &set);
    CHECK_IS(pthread_attr_setaffinity_np(&attributes, sizeof set, &set), EINVAL);
    CPU_SET(2, &set);
    CHECK(CPU_ISSET(2, &set) && !CPU_ISSET(1, &set) && !CPU_ISSET(CPU_SETSIZE, &set));
    CHECK_IS(pthread_attr_setaffinity_np(&attributes, sizeof set, &set), 0);
    CHECK_IS(pthread_attr_getaffinity_np(&attributes, 1, &other), EINVAL);
    CHECK_IS(pthread_attr_getaffinity_np(&attributes, sizeof other, &other), 0);
    CPU_CLR(CORES, &set);
    CHECK(CPU_EQUAL(&set, &other));
    /* Two of the eight entries are on core 2: it can have no more threads. */
    for (int number = 0; number < 2; number++) {
        CHECK_IS(pthread_create(&threads[number], &attributes, core_of_thread, &leave), 0);
    }
    CHECK_IS(pthread_create(&more, &attributes, core_of_thread, 0), EAGAIN);
    CHECK_IS(pthread_create(&more, 0, core_of_thread, 0), 0);
    CHECK(join(more) != 2);
    for (int number = 0; number < 2; number++) {
        CHECK_IS(sem_post(&leave), 0);
    }
    for (int number = 0; number < 2; number++) {
        CHECK_IS(join(threads[number]), 2);
    }
    CHECK_IS(pthread_create(&more, &attributes, core_of_thread, 0), 0);
    CHECK_IS(join(more), 2);
    wide[0] = 2; /* core 1, in a set of another size */
    CHECK_IS(pthread_attr_setaffinity_np(&attributes, sizeof wide, (const cpu_set_t *)wide), 0);
    CHECK_IS(pthread_create(&more, &attributes, core_of_thread, 0), 0);
    CHECK_IS(join(more), 1);
    CHECK_IS(pthread_attr_destroy(&attributes), 0);

    /* The main thread is on core 0, and what it creates inherits its set. */
    CHECK_IS(sched_getaffinity(0, sizeof set, &set), 0);
    CHECK_IS(CPU_COUNT(&set), CORES);
    CPU_CLR(0, &set);
    CHECK_IS(pthread_setaffinity_np(pthread_self(), sizeof set, &set), EINVAL);
    CHECK_FAILS(sched_setaffinity(0, sizeof set, &set), EINVAL);
    CHECK_FAILS(sched_setaffinity(77, sizeof set, &set), ESRCH);
    CHECK_FAILS(sched_getaffinity(77, sizeof set, &set), ESRCH);
    CHECK_IS(pthread_setaffinity_np(more, sizeof set, &set), ESRCH);
    CHECK_IS(pthread_getaffinity_np(more, sizeof set, &set), ESRCH);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    CHECK_IS(sched_setaffinity(0, sizeof set, &set), 0);
    CHECK_IS(pthread_create(&more, 0, core_of_thread, 0), 0);
    CHECK_IS(join(more), 0);
    for (int core = 0; core < CORES; core++) {
        CPU_SET((size_t)core, &set);
    }
    CHECK_IS(sched_setaffinity(0, sizeof set, &set), 0);
}

/* --- Priorities --------------------------------------------------------------------------------
 */

static unsigned kernel_priority(void) {
    unsigned priority = 0;
    takt_task_priority(takt_task_self(), &priority);
    return priority;
}

static void *own_priority(void *argument) {
    return (void *)(intptr_t)kernel_priority();
}

static void *wait_and_give_priority(void *argument) {
    sem_wait(&leave);
    return own_priority(0);
}

static void test_priorities(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    struct sched_param parameter = {.sched_priority = 65};
    int value;
    CHECK_IS(sched_get_priority_min(SCHED_FIFO), 1);
    CHECK_IS(sched_get_priority_max(SCHED_FIFO), 64);
    CHECK_IS(sched_get_priority_max(SCHED_OTHER), 0);
    CHECK_FAILS(sched_get_priority_min(SCHED_RR), EINVAL);
    CHECK_FAILS(sched_get_priority_max(9), EINVAL);
    CHECK_IS(pthread_attr_init(&attributes), 0);
    CHECK_IS(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS), ENOTSUP);
    CHECK_IS(pthread_attr_setscope(&attributes, 7), EINVAL);
    CHECK_IS(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM), 0);
    CHECK_IS(pthread_attr_getscope(&attributes, &value), 0);
    CHECK_IS(value, PTHREAD_SCOPE_SYSTEM);
    CHECK_IS(pthread_attr_setschedpolicy(&attributes, SCHED_RR), ENOTSUP);
    CHECK_IS(pthread_attr_setschedpolicy(&attributes, 9), EINVAL);
    CHECK_IS(pthread_attr_setschedpolicy(&attributes, SCHED_FIFO), 0);
    CHECK_IS(pthread_attr_getschedpolicy(&attributes, &value), 0);
    CHECK_IS(value, SCHED_FIFO);
    CHECK_IS(pthread_attr_setschedparam(&attributes, &parameter), EINVAL);
    parameter.sched_priority = 50;
    CHECK_IS(pthread_attr_setschedparam(&attributes, &parameter), 0);
    parameter.sched_priority = 0;
    CHECK_IS(pthread_attr_getschedparam(&attributes, &parameter), 0);
    CHECK_IS(parameter.sched_priority, 50);
    CHECK_IS(pthread_create(&thread, &attributes, own_priority, 0), 0);
    CHECK_IS(join(thread), DEFAULT); /* inherited */
    CHECK_IS(pthread_attr_setinheritsched(&attributes, 5), EINVAL);
    CHECK_IS(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED), 0);
    CHECK_IS(pthread_attr_getinheritsched(&attributes, &value), 0);
    CHECK_IS(value, PTHREAD_EXPLICIT_SCHED);
    CHECK_IS(pthread_create(&thread, &attributes, own_priority, 0), 0);
    CHECK_IS(join(thread), 15);
    CHECK_IS(pthread_attr_setschedpolicy(&attributes, SCHED_OTHER), 0);
    CHECK_IS(pthread_create(&thread, &attributes, own_priority, 0), EINVAL);

    CHECK_IS(pthread_create(&thread, 0, wait_and_give_priority, 0), 0);
    parameter.sched_priority = 40;
    CHECK_IS(pthread_setschedparam(thread, SCHED_OTHER, &parameter), EINVAL);
    CHECK_IS(pthread_setschedparam(thread, SCHED_RR, &parameter), ENOTSUP);
    CHECK_IS(pthread_setschedprio(thread, 40), EINVAL);
    CHECK_IS(pthread_setschedparam(thread, SCHED_FIFO, &parameter), 0);
    CHECK_IS(pthread_setschedprio(thread, 41), 0);
    CHECK_IS(pthread_getschedparam(thread, &value, &parameter), 0);
    CHECK(value == SCHED_FIFO && parameter.sched_priority == 41);
    CHECK_IS(sem_post(&leave), 0);
    CHECK_IS(join(thread), 24);
    CHECK_IS(pthread_setschedprio(thread, 41), ESRCH);
    CHECK_IS(pthread_getschedparam(thread, &value, &parameter), ESRCH);
    /* The same entry of the pool has its described priority again. */
    for (int number = 0; number < POOL; number++) {
        CHECK_IS(pthread_create(&thread, 0, own_priority, 0), 0);
        CHECK_IS(join(thread), DEFAULT);
    }
    parameter.sched_priority = 30;
    CHECK_IS(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter), 0);
    CHECK_IS(kernel_priority(), 35);
    CHECK_IS(pthread_create(&thread, 0, own_priority, 0), 0);
    CHECK_IS(join(thread), 35); /* inherited */
    parameter.sched_priority = 0;
    CHECK_IS(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter), 0);
    CHECK_IS(kernel_priority(), DEFAULT);
}

/* --- Clocks ------------------------------------------------------------------------------------
 */

static void test_clocks(void) {
    struct timespec time, later, wrong = {.tv_nsec = 1000000000};
    CHECK_IS(clock_getres(CLOCK_MONOTONIC, &time), 0);
    CHECK(time.tv_sec == 0 && time.tv_nsec == 1);
    CHECK_IS(clock_getres(CLOCK_REALTIME, 0), 0);
    CHECK_FAILS(clock_getres(77, &time), EINVAL);
    CHECK_FAILS(clock_settime(CLOCK_MONOTONIC, &time), EINVAL);
    CHECK_FAILS(clock_settime(CLOCK_REALTIME, &wrong), EINVAL);
    CHECK_IS(clock_settime(CLOCK_REALTIME, &(struct timespec){.tv_sec = 1000000000}), 0);
    CHECK_IS(clock_gettime(CLOCK_REALTIME, &time), 0);
    CHECK_IS(time.tv_sec, 1000000000);
    time.tv_nsec += 200000;
    CHECK_IS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, 0), 0);
    CHECK_IS(clock_gettime(CLOCK_REALTIME, &later), 0);
    CHECK(later.tv_sec > time.tv_sec || later.tv_nsec >= time.tv_nsec);
    CHECK_IS(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){0}, 0), 0);
    CHECK_IS(clock_nanosleep(77, 0, &time, 0), EINVAL);
    CHECK_IS(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, 0), EINVAL);
    clock_gettime(CLOCK_MONOTONIC, &time);
    CHECK_IS(usleep(150), 0);
    clock_gettime(CLOCK_MONOTONIC, &later);
    CHECK((later.tv_sec - time.tv_sec) * 1000000000L + later.tv_nsec - time.tv_nsec >= 150000);
    CHECK_IS(sysconf(_SC_THREAD_KEYS_MAX), 128);
    CHECK_IS(sysconf(_SC_NPROCESSORS_ONLN), CORES);
    CHECK_IS(sysconf(_SC_SEM_VALUE_MAX), SEM_VALUE_MAX);
}

/* --- Cancellation ------------------------------------------------------------------------------
 */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t never;
static pthread_key_t key;
static int order[4], steps;

static void note(void *number) {
    if (steps < 4) {
        order[steps++] = (int)(intptr_t)number;
    }
}

static void unlock(void *which) {
    CHECK_IS(pthread_mutex_unlock(which), 0);
}

static void *wait_for_condition(void *argument) {
    pthread_setspecific(key, (void *)3);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(note, (void *)2);
    pthread_cleanup_push(unlock, &mutex); /* it is locked again */
    pthread_cleanup_push(note, (void *)1);
    for (;;) {
        pthread_cond_wait(&condition, &mutex);
    }
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return 0;
}

static void *wait_for_semaphore(void *argument) {
    sem_wait(&never);
    return argument;
}

static void *sleep_long(void *argument) {
    nanosleep(&(struct timespec){.tv_sec = 1000}, 0);
    return argument;
}

static void *join_thread(void *other) {
    pthread_join(*(pthread_t *)other, 0);
    return other;
}

static void *only_test(void *argument) {
    while (sched_yield() == 0) {
        pthread_testcancel();
    }
    return argument;
}

static unsigned progress;

static void *resist(void *argument) {
    int previous;
    CHECK_IS(pthread_setcancelstate(7, &previous), EINVAL);
    CHECK_IS(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &previous), 0);
    CHECK_IS(previous, PTHREAD_CANCEL_ENABLE);
    CHECK_IS(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &previous), ENOTSUP);
    CHECK_IS(pthread_setcanceltype(9, &previous), EINVAL);
    CHECK_IS(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &previous), 0);
    CHECK_IS(previous, PTHREAD_CANCEL_DEFERRED);
    __atomic_store_n(&progress, 1, __ATOMIC_RELEASE);
    CHECK_IS(sem_wait(&leave), 0);
    pause_for(10000);
    pthread_testcancel();
    __atomic_store_n(&progress, 2, __ATOMIC_RELEASE);
    CHECK_IS(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0), 0);
    pthread_testcancel();
    __atomic_store_n(&progress, 3, __ATOMIC_RELEASE);
    return 0;
}

static void *exit_with_handlers(void *argument) {
    pthread_cleanup_push(note, (void *)7);
    pthread_cleanup_push(note, (void *)6);
    pthread_cleanup_pop(1);
    pthread_exit((void *)5);
    pthread_cleanup_pop(0);
    return 0;
}

static void *survive(void *argument) {
    pthread_testcancel();
    return argument;
}

static void cancel_in(void *(*start)(void *), void *argument, long after) {
    pthread_t thread;
    CHECK_IS(pthread_create(&thread, 0, start, argument), 0);
    pause_for(after);
    CHECK_IS(pthread_cancel(thread), 0);
    CHECK_IS(join(thread), -1);
    CHECK_IS(pthread_cancel(thread), ESRCH);
}

static pthread_once_t once;
static int once_calls;

static void sleep_once(void) {
    once_calls++;
    sleep(100);
}

static void count_once(void) {
    once_calls++;
}

static void *call_once_that_sleeps(void *argument) {
    CHECK_IS(pthread_once(&once, sleep_once), 0);
    return argument;
}

/* A routine in which its thread is cancelled counts as not called. */
static void test_cancelled_once(void) {
    once = PTHREAD_ONCE_INIT;
    cancel_in(call_once_that_sleeps, 0, 200000);
    CHECK_IS(once_calls, 1);
    CHECK_IS(pthread_once(&once, count_once), 0);
    CHECK_IS(pthread_once(&once, count_once), 0);
    CHECK_IS(once_calls, 2);
}

static void test_cancellation(void) {
    pthread_t thread;
    CHECK_IS(sem_init(&never, 0, 0), 0);
    CHECK_IS(pthread_key_create(&key, note), 0);
    for (int round = 0; round < 12; round++) {
        long after = round * 9000; /* before, in and after the start of the wait */
        steps = 0;
        cancel_in(wait_for_condition, 0, 200000);
        CHECK(steps == 3 && order[0] == 1 && order[1] == 2 && order[2] == 3);
        cancel_in(wait_for_semaphore, 0, after);
        cancel_in(sleep_long, 0, after);
        cancel_in(only_test, 0, after);
        CHECK_IS(pthread_create(&thread, 0, wait_for_semaphore, 0), 0);
        cancel_in(join_thread, &thread, after);
        CHECK_IS(pthread_cancel(thread), 0); /* it can still be joined */
        CHECK_IS(join(thread), -1);
    }
    CHECK_IS(pthread_mutex_trylock(&mutex), 0);
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    CHECK_IS(pthread_cond_destroy(&condition), 0);
    CHECK_IS(sem_destroy(&never), 0);

    CHECK_IS(pthread_create(&thread, 0, resist, 0), 0);
    while (__atomic_load_n(&progress, __ATOMIC_ACQUIRE) == 0) {
        sched_yield();
    }
    CHECK_IS(pthread_cancel(thread), 0);
    CHECK_IS(sem_post(&leave), 0);
    CHECK_IS(join(thread), -1);
    CHECK_IS(progress, 2);

    steps = 0;
    CHECK_IS(pthread_create(&thread, 0, exit_with_handlers, 0), 0);
    CHECK_IS(join(thread), 5);
    CHECK(steps == 2 && order[0] == 6 && order[1] == 7);
    CHECK_IS(pthread_cancel(0), ESRCH);
    /* A new thread in an entry whose former one was cancelled is not. */
    for (int number = 0; number < 2 * POOL; number++) {
        CHECK_IS(pthread_create(&thread, 0, survive, (void *)7), 0);
        CHECK_IS(join(thread), 7);
    }
}

int main(void) {
    test_cores();
    test_priorities();
    test_clocks();
    test_cancellation();
    test_cancelled_once();
    check_end();
}
