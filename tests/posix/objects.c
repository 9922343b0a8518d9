/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores, reader-writer locks, spin locks, and <threads.h>: each function, and its errors. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "check.h"

enum { WORKERS = 7, ROUNDS = 150 };

static void run_all(void *(*start)(void *)) {
    pthread_t threads[WORKERS];
    for (uintptr_t number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_create(&threads[number], 0, start, (void *)number), 0);
    }
    for (uintptr_t number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
    }
}

static struct timespec in(clockid_t clock, long nanoseconds) {
    struct timespec now;
    clock_gettime(clock, &now);
    long sum = now.tv_nsec + nanoseconds;
    return (struct timespec){.tv_sec = now.tv_sec + sum / 1000000000, .tv_nsec = sum % 1000000000};
}

static void pause_for(long nanoseconds) {
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, 0);
}

/* Checks that a call fails with an error in errno. */
#define CHECK_FAILS(call, error)                                                                   \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CHECK_IS(call, -1);                                                                        \
        CHECK_IS(errno, error);                                                                    \
    } while (0)

/* --- Semaphores --------------------------------------------------------------------------------
 */

static sem_t places, items, few;
static unsigned inside, most_inside, sem_timeouts, entered;

/* At most three threads are inside at once; some give up, and no count is lost. */
static void *enter(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        struct timespec soon = in(CLOCK_REALTIME, 2000 * (round % 9));
        if (round % 3 == 0) {
            if (sem_timedwait(&few, &soon) != 0) {
                CHECK_IS(errno, ETIMEDOUT);
                __atomic_fetch_add(&sem_timeouts, 1, __ATOMIC_RELAXED);
                continue;
            }
        } else if (round % 3 == 1 || sem_trywait(&few) != 0) {
            CHECK_IS(sem_wait(&few), 0);
        }
        unsigned now = __atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED);
        CHECK(now <= 3);
        if (now > __atomic_load_n(&most_inside, __ATOMIC_RELAXED)) {
            __atomic_store_n(&most_inside, now, __ATOMIC_RELAXED);
        }
        __atomic_fetch_add(&entered, 1, __ATOMIC_RELAXED);
        if (round % 8 == 0) {
            sched_yield();
        }
        __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
        CHECK_IS(sem_post(&few), 0);
    }
    return argument;
}

/* Thread 0 produces for all others. */
static void *produce_or_consume(void *argument) {
    if (argument == 0) {
        for (int count = 0; count < (WORKERS - 1) * ROUNDS; count++) {
            CHECK_IS(sem_wait(&places), 0);
            CHECK_IS(sem_post(&items), 0);
        }
        return argument;
    }
    for (int count = 0; count < ROUNDS; count++) {
        CHECK_IS(sem_wait(&items), 0);
        CHECK_IS(sem_post(&places), 0);
    }
    return argument;
}

static void *post_and_forget(void *semaphore) {
    pause_for(20000);
    sem_post(semaphore);
    return 0;
}

/* The waiter destroys the semaphore as soon as it has its count. */
static void test_destroyed_semaphore(void) {
    for (int round = 0; round < 10; round++) {
        pthread_t poster;
        sem_t *semaphore = malloc(sizeof *semaphore);
        CHECK_IS(sem_init(semaphore, 0, 0), 0);
        CHECK_IS(pthread_create(&poster, 0, post_and_forget, semaphore), 0);
        CHECK_IS(sem_wait(semaphore), 0);
        CHECK_IS(sem_destroy(semaphore), 0);
        for (size_t index = 0; index < sizeof *semaphore; index++) {
            ((volatile char *)semaphore)[index] = (char)0xa5;
        }
        CHECK_IS(pthread_join(poster, 0), 0);
        for (size_t index = 0; index < sizeof *semaphore; index++) {
            CHECK_IS(((volatile unsigned char *)semaphore)[index], 0xa5);
        }
        free(semaphore);
    }
}

static void *wait_for_item(void *argument) {
    CHECK_IS(sem_wait(&items), 0);
    return argument;
}

static void test_semaphore(void) {
    int value;
    struct timespec wrong = {.tv_nsec = -1}, soon = in(CLOCK_REALTIME, 50000);
    CHECK_FAILS(sem_init(&few, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
    CHECK_IS(sem_init(&few, 0, SEM_VALUE_MAX), 0);
    CHECK_FAILS(sem_post(&few), EOVERFLOW);
    CHECK_IS(sem_getvalue(&few, &value), 0);
    CHECK_IS(value, SEM_VALUE_MAX);
    CHECK_IS(sem_init(&few, 1, 1), 0);
    CHECK_IS(sem_trywait(&few), 0);
    CHECK_FAILS(sem_trywait(&few), EAGAIN);
    CHECK_FAILS(sem_timedwait(&few, &wrong), EINVAL);
    CHECK_FAILS(sem_timedwait(&few, &soon), ETIMEDOUT);
    CHECK_FAILS(sem_clockwait(&few, 77, &soon), EINVAL);
    soon = in(CLOCK_MONOTONIC, 40000);
    CHECK_FAILS(sem_clockwait(&few, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    CHECK_IS(sem_getvalue(&few, &value), 0);
    CHECK_IS(value, 0);
    CHECK_IS(sem_destroy(&few), 0);

    CHECK_IS(sem_init(&few, 0, 3), 0);
    run_all(enter);
    CHECK_IS(sem_getvalue(&few, &value), 0);
    CHECK_IS(value, 3);
    CHECK(most_inside > 1 && sem_timeouts > 0 && entered > ROUNDS);

    CHECK_IS(sem_init(&places, 0, 2), 0);
    CHECK_IS(sem_init(&items, 0, 0), 0);
    run_all(produce_or_consume);
    CHECK_IS(sem_getvalue(&places, &value), 0);
    CHECK_IS(value, 2);
    pthread_t other;
    CHECK_IS(pthread_create(&other, 0, wait_for_item, 0), 0);
    pause_for(300000);
    CHECK_FAILS(sem_destroy(&items), EBUSY);
    CHECK_IS(sem_post(&items), 0);
    CHECK_IS(pthread_join(other, 0), 0);
    CHECK_IS(sem_destroy(&items), 0);
    test_destroyed_semaphore();
}

/* --- Reader-writer locks -----------------------------------------------------------------------
 */

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile unsigned written, also_written;
static unsigned writes, lock_timeouts, readers, most_readers;

static void *read_or_write(void *argument) {
    unsigned own = (unsigned)(uintptr_t)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct timespec soon = in(CLOCK_REALTIME, 3000 * (round % 5));
        bool is_timed = round % 4 == 3;
        if ((round + own) % 5 == 0) {
            int error =
                is_timed ? pthread_rwlock_timedwrlock(&lock, &soon) : pthread_rwlock_wrlock(&lock);
            CHECK(error == 0 || (is_timed && error == ETIMEDOUT));
            if (error) {
                __atomic_fetch_add(&lock_timeouts, 1, __ATOMIC_RELAXED);
                continue;
            }
            CHECK_IS(__atomic_load_n(&readers, __ATOMIC_RELAXED), 0);
            unsigned value = written;
            sched_yield();
            written = value + 1;
            also_written = value + 1;
            __atomic_fetch_add(&writes, 1, __ATOMIC_RELAXED);
        } else {
            int error =
                is_timed ? pthread_rwlock_timedrdlock(&lock, &soon) : pthread_rwlock_rdlock(&lock);
            CHECK(error == 0 || (is_timed && error == ETIMEDOUT));
            if (error) {
                continue;
            }
            unsigned now = __atomic_add_fetch(&readers, 1, __ATOMIC_RELAXED);
            if (now > __atomic_load_n(&most_readers, __ATOMIC_RELAXED)) {
                __atomic_store_n(&most_readers, now, __ATOMIC_RELAXED);
            }
            unsigned value = written;
            sched_yield();
            CHECK_IS(also_written, value);
            __atomic_fetch_sub(&readers, 1, __ATOMIC_RELAXED);
        }
        CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    }
    return argument;
}

static unsigned got_read;
static pthread_barrier_t all_read;

static void *read_once(void *argument) {
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), argument ? EBUSY : 0);
    if (argument) {
        CHECK_IS(pthread_rwlock_trywrlock(&lock), EBUSY);
        CHECK_IS(pthread_rwlock_unlock(&lock), EPERM);
        CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
        pthread_barrier_wait(&all_read); /* all hold it at once */
    }
    __atomic_fetch_add(&got_read, 1, __ATOMIC_RELAXED);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return argument;
}

static void *give_up_writing(void *argument) {
    struct timespec soon = in(CLOCK_REALTIME, 1000000);
    CHECK_IS(pthread_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    return argument;
}

static void *read_behind_writer(void *argument) {
    pause_for(500000);
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), EBUSY); /* a writer waits */
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    return argument;
}

static void test_reader_writer_lock(void) {
    pthread_rwlockattr_t attributes;
    int is_shared;
    struct timespec wrong = {.tv_nsec = 1000000000};
    CHECK_IS(pthread_rwlockattr_init(&attributes), 0);
    CHECK_IS(pthread_rwlockattr_setpshared(&attributes, 5), EINVAL);
    CHECK_IS(pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED), 0);
    CHECK_IS(pthread_rwlockattr_getpshared(&attributes, &is_shared), 0);
    CHECK_IS(is_shared, PTHREAD_PROCESS_SHARED);
    CHECK_IS(pthread_rwlock_init(&lock, &attributes), 0);
    CHECK_IS(pthread_rwlockattr_destroy(&attributes), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), EPERM);
    run_all(read_or_write);
    CHECK_IS(written, writes);
    CHECK(writes > ROUNDS && lock_timeouts > 0 && most_readers > 1);

    CHECK_IS(pthread_rwlock_wrlock(&lock), 0);
    CHECK_IS(pthread_rwlock_wrlock(&lock), EDEADLK);
    CHECK_IS(pthread_rwlock_rdlock(&lock), EDEADLK);
    CHECK_IS(pthread_rwlock_tryrdlock(&lock), EBUSY);
    CHECK_IS(pthread_rwlock_destroy(&lock), EBUSY);
    pthread_t threads[WORKERS];
    CHECK_IS(pthread_barrier_init(&all_read, 0, WORKERS), 0);
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_create(&threads[number], 0, read_once, &lock), 0);
    }
    pause_for(500000);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
    }
    CHECK_IS(got_read, WORKERS);

    /* Readers share; the reader behind a writer that gives up gets the lock beside this one. */
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_rdlock(&lock), 0);
    CHECK_IS(pthread_rwlock_timedwrlock(&lock, &wrong), EINVAL);
    CHECK_IS(pthread_create(&threads[0], 0, give_up_writing, 0), 0);
    CHECK_IS(pthread_create(&threads[1], 0, read_behind_writer, 0), 0);
    CHECK_IS(pthread_join(threads[0], 0), 0);
    CHECK_IS(pthread_join(threads[1], 0), 0);
    CHECK_IS(pthread_create(&threads[0], 0, read_once, 0), 0);
    CHECK_IS(pthread_join(threads[0], 0), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_unlock(&lock), 0);
    CHECK_IS(pthread_rwlock_destroy(&lock), 0);
}

/* --- Spin locks --------------------------------------------------------------------------------
 */

static pthread_spinlock_t spin;
static volatile unsigned spun;

static void *spin_and_count(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_IS(pthread_spin_lock(&spin), 0);
        unsigned value = spun;
        if (round % 16 == 0) {
            sched_yield(); /* another thread of this core finds the lock taken */
        }
        spun = value + 1;
        CHECK_IS(pthread_spin_unlock(&spin), 0);
    }
    return argument;
}

static void test_spin_lock(void) {
    CHECK_IS(pthread_spin_init(&spin, 9), EINVAL);
    CHECK_IS(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
    run_all(spin_and_count);
    CHECK_IS(spun, WORKERS * ROUNDS);
    CHECK_IS(pthread_spin_trylock(&spin), 0);
    CHECK_IS(pthread_spin_trylock(&spin), EBUSY);
    CHECK_IS(pthread_spin_lock(&spin), EDEADLK);
    CHECK_IS(pthread_spin_destroy(&spin), EBUSY);
    CHECK_IS(pthread_spin_unlock(&spin), 0);
    CHECK_IS(pthread_spin_unlock(&spin), EPERM);
    CHECK_IS(pthread_spin_destroy(&spin), 0);
}

/* --- <threads.h> -------------------------------------------------------------------------------
 */

static mtx_t mutex;
static cnd_t changed;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int turn, once_count, destroyed;
static thread_local int own = 5;

static void count_once(void) {
    once_count++;
}

static void destroy(void *value) {
    __atomic_fetch_add(&destroyed, *(int *)value, __ATOMIC_RELAXED); /* threads end side by side */
}

static int take_turn(void *argument) {
    static int one = 1;
    int number = *(int *)argument;
    own += number;
    call_once(&once, count_once);
    CHECK_IS(tss_set(key, &one), thrd_success);
    CHECK_IS(mtx_lock(&mutex), thrd_success);
    while (turn != number) {
        CHECK_IS(cnd_wait(&changed, &mutex), thrd_success);
    }
    turn++;
    CHECK(tss_get(key) == &one);
    CHECK_IS(cnd_broadcast(&changed), thrd_success);
    CHECK_IS(mtx_unlock(&mutex), thrd_success);
    if (number % 2) {
        thrd_exit(-own);
    }
    return -own;
}

static int lock_in_vain(void *argument) {
    struct timespec soon = in(CLOCK_REALTIME, 30000);
    CHECK_IS(mtx_trylock(&mutex), thrd_busy);
    CHECK_IS(mtx_timedlock(&mutex, &soon), thrd_timedout);
    CHECK_IS(mtx_unlock(&mutex), thrd_error);
    return 0;
}

static void test_c11(void) {
    thrd_t threads[WORKERS];
    int numbers[WORKERS], result;
    CHECK_IS(mtx_init(&mutex, 64), thrd_error);
    CHECK_IS(mtx_init(&mutex, mtx_plain), thrd_success);
    CHECK_IS(cnd_init(&changed), thrd_success);
    CHECK_IS(tss_create(&key, destroy), thrd_success);
    for (int number = WORKERS - 1; number >= 0; number--) {
        numbers[number] = number;
        CHECK_IS(thrd_create(&threads[number], take_turn, &numbers[number]), thrd_success);
    }
    CHECK_IS(thrd_create(&threads[0], take_turn, &numbers[0]), thrd_nomem);
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(thrd_join(threads[number], &result), thrd_success);
        CHECK_IS(result, -5 - number);
    }
    CHECK_IS(thrd_join(threads[0], &result), thrd_error);
    CHECK_IS(once_count, 1);
    CHECK_IS(destroyed, WORKERS);
    tss_delete(key);
    CHECK_IS(tss_set(key, 0), thrd_error);
    CHECK(thrd_equal(thrd_current(), thrd_current()));

    struct timespec soon = in(CLOCK_REALTIME, 30000), wrong = {.tv_nsec = -1}, now;
    CHECK_IS(mtx_lock(&mutex), thrd_success);
    CHECK_IS(cnd_timedwait(&changed, &mutex, &soon), thrd_timedout);
    CHECK_IS(thrd_create(&threads[0], lock_in_vain, 0), thrd_success);
    CHECK_IS(thrd_join(threads[0], 0), thrd_success);
    CHECK_IS(cnd_signal(&changed), thrd_success);
    CHECK_IS(mtx_unlock(&mutex), thrd_success);
    mtx_destroy(&mutex);
    cnd_destroy(&changed);
    CHECK_IS(mtx_init(&mutex, mtx_timed | mtx_recursive), thrd_success);
    CHECK_IS(mtx_lock(&mutex), thrd_success);
    CHECK_IS(mtx_trylock(&mutex), thrd_success);
    CHECK_IS(mtx_unlock(&mutex), thrd_success);
    CHECK_IS(mtx_unlock(&mutex), thrd_success);
    CHECK_IS(thrd_sleep(&(struct timespec){.tv_nsec = 1000}, 0), 0);
    CHECK_IS(thrd_sleep(&wrong, 0), -2);
    thrd_yield();
    CHECK_IS(timespec_get(&now, TIME_UTC), TIME_UTC);
    CHECK_IS(timespec_get(&now, 7), 0);
}

/* --- Atomic operations on one and two bytes ----------------------------------------------------
 */

/* All in two words, so that each operation of one disturbs those of the others. */
static struct {
    _Atomic uint8_t sum, bits, taken;
    _Atomic int8_t difference;
    _Atomic uint16_t wide, compared;
} __attribute__((aligned(8))) bytes = {.bits = 0xff};
static unsigned in_section;

static void *change_bytes(void *argument) {
    for (unsigned round = 0; round < ROUNDS; round++) {
        atomic_fetch_add(&bytes.sum, 3);
        atomic_fetch_sub(&bytes.difference, 1);
        atomic_fetch_xor(&bytes.bits, 0x81);
        atomic_fetch_add(&bytes.wide, 1000);
        uint16_t seen = bytes.compared;
        while (!atomic_compare_exchange_weak(&bytes.compared, &seen, (uint16_t)(seen + 1))) {
        }
        while (atomic_exchange(&bytes.taken, 1)) {
            sched_yield();
        }
        CHECK_IS(++in_section, 1);
        in_section--;
        bytes.taken = 0;
    }
    return argument;
}

static void test_atomic(void) {
    run_all(change_bytes);
    CHECK_IS(bytes.sum, (uint8_t)(3 * WORKERS * ROUNDS));
    CHECK_IS(bytes.difference, (int8_t)(-WORKERS * ROUNDS));
    CHECK_IS(bytes.bits, WORKERS * ROUNDS % 2 ? 0x7e : 0xff);
    CHECK_IS(bytes.wide, (uint16_t)(1000 * WORKERS * ROUNDS));
    CHECK_IS(bytes.compared, WORKERS * ROUNDS);
    uint16_t other = 5;
    CHECK(!atomic_compare_exchange_strong(&bytes.compared, &other, 7));
    CHECK_IS(other, WORKERS * ROUNDS);
    CHECK_IS(atomic_fetch_or(&bytes.bits, 0x80), WORKERS * ROUNDS % 2 ? 0x7e : 0xff);
    CHECK_IS(atomic_fetch_and(&bytes.bits, 0x0f), WORKERS * ROUNDS % 2 ? 0xfe : 0xff);
    CHECK_IS(__atomic_fetch_nand((uint8_t *)&bytes.bits, 0x0c, __ATOMIC_SEQ_CST),
             WORKERS * ROUNDS % 2 ? 0x0e : 0x0f);
    CHECK_IS(bytes.bits, 0xf3);
    CHECK_IS(bytes.sum, (uint8_t)(3 * WORKERS * ROUNDS));
}

int main(void) {
    test_atomic();
    test_semaphore();
    test_reader_writer_lock();
    test_spin_lock();
    test_c11();
    check_end();
}
