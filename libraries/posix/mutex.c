/* SPDX-License-Identifier: Apache-2.0 */
/* A mutex is a word that holds the owner. Who waits is in the mutex's queue, and the word says that
 * somebody is, so that the owner's unlock hands the mutex over. */
#include <errno.h>
#include <pthread.h>

#include "waiting.h"

#define WAITERS ((uint32_t)1 << 31)
#define OWNER   (WAITERS - 1)

/* Takes the mutex if nobody has it. Acquire: what the owner before did is seen. */
static bool take(pthread_mutex_t *mutex, takt_id self) {
    uint32_t unlocked = 0;
    return __atomic_compare_exchange_n(&mutex->word, &unlocked, self, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static bool is_owner(const pthread_mutex_t *mutex, takt_id self) {
    return (__atomic_load_n(&mutex->word, __ATOMIC_RELAXED) & OWNER) == self;
}

/* The caller has the mutex already. */
static int lock_again(pthread_mutex_t *mutex) {
    if (mutex->type == PTHREAD_MUTEX_ERRORCHECK) {
        return EDEADLK;
    }
    if (mutex->depth == UINT32_MAX) {
        return EAGAIN;
    }
    mutex->depth++;
    return 0;
}

/* The word may become 0 until WAITERS is set in it, and then only under the guard. */
static int wait_for(pthread_mutex_t *mutex, struct waiter *self, takt_time until) {
    takt_id guard = guard_of(mutex);
    guard_acquire(guard);
    if (__atomic_fetch_or(&mutex->word, WAITERS, __ATOMIC_ACQUIRE) == 0) {
        __atomic_store_n(&mutex->word, self->task, __ATOMIC_RELAXED);
        guard_release(guard);
        return 0;
    }
    queue_join(&mutex->queue, self);
    guard_release(guard);
    return queue_wait(&mutex->queue, mutex, self, until) ? 0 : ETIMEDOUT;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    struct waiter *self = waiter_self();
    if (take(mutex, self->task)) {
        return 0;
    }
    if (mutex->type != PTHREAD_MUTEX_NORMAL && is_owner(mutex, self->task)) {
        return lock_again(mutex);
    }
    return wait_for(mutex, self, TAKT_FOR_EVER);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
    struct waiter *self = waiter_self();
    if (take(mutex, self->task)) {
        return 0;
    }
    if (mutex->type != PTHREAD_MUTEX_NORMAL && is_owner(mutex, self->task)) {
        return lock_again(mutex);
    }
    takt_time until;
    return time_of(CLOCK_REALTIME, time, &until) ? wait_for(mutex, self, until) : EINVAL;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    struct waiter *self = waiter_self();
    if (take(mutex, self->task)) {
        return 0;
    }
    bool again = mutex->type == PTHREAD_MUTEX_RECURSIVE && is_owner(mutex, self->task);
    return again ? lock_again(mutex) : EBUSY;
}

/* The next owner gets the mutex while it sleeps: nobody comes before it. */
static void hand_over(pthread_mutex_t *mutex) {
    takt_id guard = guard_of(mutex);
    guard_acquire(guard);
    const struct waiter *first = mutex->queue.first;
    uint32_t word = !first ? 0 : first->next ? first->task | WAITERS : first->task;
    __atomic_store_n(&mutex->word, word, __ATOMIC_RELEASE);
    /* After the word: who is granted may unlock, and even destroy the mutex, at once. So may who
     * locks it when the word is 0: then nothing of the mutex is looked at any more. */
    takt_id next = first ? queue_grant(&mutex->queue) : TAKT_ID_NONE;
    guard_release(guard);
    if (next != TAKT_ID_NONE) {
        takt_task_wakeup(next);
    }
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    struct waiter *self = waiter_self();
    if (!is_owner(mutex, self->task)) {
        return EPERM;
    }
    if (mutex->depth > 0) {
        mutex->depth--;
        return 0;
    }
    /* Release: the next owner sees what was done. */
    uint32_t owned = self->task;
    if (!__atomic_compare_exchange_n(&mutex->word, &owned, 0, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED)) {
        hand_over(mutex);
    }
    return 0;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    *mutex = (pthread_mutex_t){.type = attributes ? (uint32_t)attributes->type : 0};
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    return __atomic_load_n(&mutex->word, __ATOMIC_ACQUIRE) == 0 ? 0 : EBUSY;
}
