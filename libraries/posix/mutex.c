/* SPDX-License-Identifier: Apache-2.0 */
/* A mutex is a word with the owner's task ID and a bit that says whether threads wait. The waiting
 * threads are in the mutex's queue. If the bit is set, the owner's unlock hands the mutex over to
 * the first of them. */
#include <errno.h>
#include <pthread.h>

#include "protocol.h"
#include "waiting.h"

#define WAITERS MUTEX_WAITERS

const struct protocol_calls *takt_posix_protocol;

/* Takes the mutex if it is unlocked. The acquire ordering makes the previous owner's writes
 * visible. */
static bool mutex_take(pthread_mutex_t *mutex, takt_id self) {
    uint32_t unlocked = 0;
    return __atomic_compare_exchange_n(&mutex->word, &unlocked, self, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static bool mutex_is_owned_by(const pthread_mutex_t *mutex, takt_id self) {
    return (__atomic_load_n(&mutex->word, __ATOMIC_RELAXED) & MUTEX_OWNER) == self;
}

/* Handles a lock by the thread that owns the mutex already. */
static int mutex_lock_again(pthread_mutex_t *mutex) {
    if (mutex->type == PTHREAD_MUTEX_ERRORCHECK) {
        return EDEADLK;
    }
    if (mutex->depth == UINT32_MAX) {
        return EAGAIN;
    }
    mutex->depth++;
    return 0;
}

/* Invariant: the owner may set the word to 0 without the guard as long as WAITERS is not set in it.
 * After WAITERS has been set, only the guard's holder changes the word. */
static int mutex_wait(pthread_mutex_t *mutex, struct waiter *self, takt_time until) {
    if (mutex->protocol) {
        return takt_posix_protocol->lock(mutex, self->task, until);
    }
    takt_id guard = guard_of(mutex);
    guard_acquire(guard);
    if (__atomic_fetch_or(&mutex->word, WAITERS, __ATOMIC_ACQUIRE) == 0) {
        store_relaxed(&mutex->word, self->task);
        guard_release(guard);
        return 0;
    }
    queue_join(&mutex->queue, self);
    guard_release(guard);
    return queue_wait(&mutex->queue, mutex, self, until) ? 0 : ETIMEDOUT;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    struct waiter *self = waiter_self();
    if (mutex_take(mutex, self->task)) {
        return 0;
    }
    if (mutex->type != PTHREAD_MUTEX_NORMAL && mutex_is_owned_by(mutex, self->task)) {
        return mutex_lock_again(mutex);
    }
    return mutex_wait(mutex, self, TAKT_FOR_EVER);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    struct waiter *self = waiter_self();
    if (mutex_take(mutex, self->task)) {
        return 0;
    }
    if (mutex->type != PTHREAD_MUTEX_NORMAL && mutex_is_owned_by(mutex, self->task)) {
        return mutex_lock_again(mutex);
    }
    takt_time until;
    return time_of(clock, time, &until) ? mutex_wait(mutex, self, until) : EINVAL;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    struct waiter *self = waiter_self();
    if (mutex_take(mutex, self->task)) {
        return 0;
    }
    if (mutex_is_owned_by(mutex, self->task)) {
        return mutex->type == PTHREAD_MUTEX_RECURSIVE ? mutex_lock_again(mutex) : EBUSY;
    }
    int error = mutex->protocol ? takt_posix_protocol->lock(mutex, self->task, 0) : EBUSY;
    return error == ETIMEDOUT ? EBUSY : error;
}

/* The next owner gets the mutex while it still sleeps, so no other thread can take it first. */
static void mutex_hand_over(pthread_mutex_t *mutex) {
    takt_id guard = guard_of(mutex);
    guard_acquire(guard);
    const struct waiter *first = mutex->queue.first;
    uint32_t word = !first ? 0 : first->next ? first->task | WAITERS : first->task;
    store_release(&mutex->word, word);
    /* The grant comes after the store to the word, because the next owner may unlock and even
     * destroy the mutex immediately. The same holds for a thread that locks it while the word is 0:
     * in that case the mutex is not accessed any more. */
    takt_id next = first ? queue_grant(&mutex->queue) : TAKT_ID_NONE;
    guard_release(guard);
    if (next != TAKT_ID_NONE) {
        takt_task_wakeup(next);
    }
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    struct waiter *self = waiter_self();
    if (!mutex_is_owned_by(mutex, self->task)) {
        return EPERM;
    }
    if (mutex->depth > 0) {
        mutex->depth--;
        return 0;
    }
    if (mutex->protocol) {
        takt_posix_protocol->unlock(mutex, self->task);
        return 0;
    }
    /* The release ordering makes the owner's writes visible to the next owner. */
    if (!change_release(&mutex->word, self->task, 0)) {
        mutex_hand_over(mutex);
    }
    return 0;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    *mutex = (pthread_mutex_t){0};
    if (attributes) {
        mutex->type = (uint16_t)attributes->type;
        mutex->protocol = (uint8_t)attributes->protocol;
        mutex->ceiling = (uint8_t)(HIGHEST_PRIORITY + LOWEST_PRIORITY - attributes->ceiling);
        mutex->word = mutex->protocol ? MUTEX_PROTOCOL : 0;
    }
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    uint32_t word = __atomic_load_n(&mutex->word, __ATOMIC_ACQUIRE);
    return (word & MUTEX_OWNER) == 0 ? 0 : EBUSY;
}
