/* SPDX-License-Identifier: Apache-2.0 */
/* A semaphore's word is its value and the bit GUARDED. Invariant: while GUARDED is set, only the
 * guard's holder changes the word, and it is set while threads wait. So a call without contention
 * is a compare-and-swap, and any other call decides under the guard, in a constant number of steps.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "failed.h"
#include "waiting.h"

#define GUARDED ((uint32_t)1 << 31)
#define VALUE   (GUARDED - 1)
_Static_assert(SEM_VALUE_MAX == VALUE, "the value has the other bits");

static uint32_t word_of(const sem_t *semaphore) {
    return __atomic_load_n(&semaphore->word, __ATOMIC_RELAXED);
}

/* Acquires the guard and sets GUARDED; returns the value. Acquire ordering: a poster's writes are
 * visible if its count is taken. */
static uint32_t semaphore_lock(sem_t *semaphore) {
    guard_acquire(guard_of(semaphore));
    return __atomic_fetch_or(&semaphore->word, GUARDED, __ATOMIC_ACQUIRE) & VALUE;
}

/* Sets the value, with GUARDED if threads wait. Release ordering: whoever takes a count sees the
 * poster's writes. */
static void semaphore_set(sem_t *semaphore, uint32_t value) {
    store_release(&semaphore->word, semaphore->queue.first ? GUARDED : value);
}

/* Takes a count if there is one, by one compare-and-swap, which pairs with those of sem_post. */
static bool semaphore_take(sem_t *semaphore) {
    uint32_t word = word_of(semaphore);
    return word != 0 && !(word & GUARDED) &&
           __atomic_compare_exchange_n(&semaphore->word, &word, word - 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Takes a count under the guard, or joins the queue with `self`, or does nothing if that is NULL.
 */
static bool semaphore_take_or_join(sem_t *semaphore, struct waiter *self) {
    uint32_t value = semaphore_lock(semaphore);
    bool taken = value > 0; /* then no thread waits */
    if (!taken && self) {
        queue_join(&semaphore->queue, self);
    }
    semaphore_set(semaphore, value - taken);
    guard_release(guard_of(semaphore));
    return taken;
}

static int semaphore_wait(sem_t *semaphore, takt_time until) {
    struct waiter *self = waiter_self();
    if (semaphore_take_or_join(semaphore, self)) {
        return 0;
    }
    int error = queue_wait_point(&semaphore->queue, semaphore, self, until);
    if (error == ECANCELED) {
        pthread_testcancel();
    }
    return error ? failed(error) : 0;
}

int sem_wait(sem_t *semaphore) {
    pthread_testcancel();
    return semaphore_take(semaphore) ? 0 : semaphore_wait(semaphore, TAKT_FOR_EVER);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
                  const struct timespec *restrict time) {
    takt_time until;
    pthread_testcancel();
    if (semaphore_take(semaphore)) {
        return 0;
    }
    return time_of(clock, time, &until) ? semaphore_wait(semaphore, until) : failed(EINVAL);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
    return sem_clockwait(semaphore, CLOCK_REALTIME, time);
}

int sem_trywait(sem_t *semaphore) {
    bool taken = semaphore_take(semaphore);
    if (!taken && word_of(semaphore) != 0) {
        taken = semaphore_take_or_join(semaphore, 0);
    }
    return taken ? 0 : failed(EAGAIN);
}

int sem_post(sem_t *semaphore) {
    uint32_t word = word_of(semaphore);
    if (word < VALUE && change_release(&semaphore->word, word, word + 1)) {
        return 0;
    }
    uint32_t value = semaphore_lock(semaphore);
    const struct waiter *first = semaphore->queue.first;
    bool full = !first && value == VALUE;
    /* The grant comes after the last access to the semaphore but for its queue, because the waiter
     * may destroy it as soon as it is granted: so the word is set as it is without the waiter. */
    uint32_t rest = first && first->next ? GUARDED : 0;
    store_release(&semaphore->word, first ? rest : value + !full);
    takt_id next = first ? queue_grant(&semaphore->queue) : TAKT_ID_NONE;
    guard_release(guard_of(semaphore));
    if (next != TAKT_ID_NONE) {
        takt_task_wakeup(next);
    }
    return full ? failed(EOVERFLOW) : 0;
}

/* A value that is being changed under the guard is the former one. */
int sem_getvalue(sem_t *restrict semaphore, int *restrict value) {
    *value = (int)(word_of(semaphore) & VALUE);
    return 0;
}

int sem_init(sem_t *semaphore, int shared, unsigned value) {
    if (value > SEM_VALUE_MAX) {
        return failed(EINVAL);
    }
    *semaphore = (sem_t){.word = value};
    return 0;
}

int sem_destroy(sem_t *semaphore) {
    return queue_is_unused(&semaphore->queue, semaphore) ? 0 : failed(EBUSY);
}
