/* SPDX-License-Identifier: Apache-2.0 */
/* A reader-writer lock's word is the number of readers, or WRITER, and the bit GUARDED. Invariant:
 * while GUARDED is set, only the guard's holder changes the word, and it is set while threads wait.
 * So a call without contention is a compare-and-swap. Under contention the waiting threads are
 * served in FIFO order: nobody overtakes them, and neither readers nor writers starve. */
#include <errno.h>
#include <pthread.h>

#include "waiting.h"

#define GUARDED ((uint32_t)1 << 31)
#define WRITER  ((uint32_t)1 << 30)
#define HOLDERS (GUARDED - 1)

static uint32_t word_of(const pthread_rwlock_t *lock) {
    return __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
}

/* Acquire ordering: the writes of a former holder are visible. */
static uint32_t rwlock_lock(pthread_rwlock_t *lock) {
    guard_acquire(guard_of(lock));
    return __atomic_fetch_or(&lock->word, GUARDED, __ATOMIC_ACQUIRE) & HOLDERS;
}

/* Returns whether a thread with this claim, 1 or WRITER, may have the lock beside its holders. */
static bool holders_admit(uint32_t holders, uint32_t claim) {
    return claim == WRITER ? holders == 0 : holders < WRITER - 1;
}

/* Takes the lock by one compare-and-swap, which pairs with those of the unlock. */
static bool rwlock_take(pthread_rwlock_t *lock, uint32_t claim) {
    uint32_t word = word_of(lock);
    return !(word & GUARDED) && holders_admit(word, claim) &&
           __atomic_compare_exchange_n(&lock->word, &word, word + claim, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Takes the lock under the guard, or joins the queue with `self`, or does nothing if that is NULL.
 * A reader need not wait behind other readers: they are about to be granted. */
static bool rwlock_take_or_join(pthread_rwlock_t *lock, uint32_t claim, struct waiter *self) {
    uint32_t holders = rwlock_lock(lock);
    bool overtakes = claim == WRITER ? lock->queue.first != 0 : lock->writers > 0;
    bool taken = !overtakes && holders_admit(holders, claim);
    if (taken) {
        holders += claim;
    } else if (self) {
        self->claim = claim;
        lock->writers += claim == WRITER;
        queue_join(&lock->queue, self);
    }
    store_release(&lock->word, lock->queue.first ? holders | GUARDED : holders);
    guard_release(guard_of(lock));
    return taken;
}

/* Gives the lock to the first waiter, if its claim fits the holders and its ticket comes before the
 * limit; returns its task. Sets `more` if the next one may fit, too, and otherwise ends the waking
 * before the grant. The guard is held, and GUARDED is set. */
static takt_id rwlock_grant(pthread_rwlock_t *lock, uint32_t limit, bool *more) {
    uint32_t holders = word_of(lock) & HOLDERS;
    const struct waiter *first = lock->queue.first, *second = first ? first->next : 0;
    bool fits = queue_is_before(first, limit) && holders_admit(holders, first->claim);
    *more = fits && queue_is_before(second, limit) && first->claim + second->claim < WRITER;
    lock->queue.waking -= !*more;
    if (!fits) {
        store_release(&lock->word, first ? holders | GUARDED : holders);
        return TAKT_ID_NONE;
    }
    lock->writers -= first->claim == WRITER;
    store_release(&lock->word, (holders + first->claim) | (second ? GUARDED : 0));
    return queue_grant(&lock->queue);
}

/* Takes away a holder's claim, or the wish of a writer that has given up, and then wakes a writer
 * or all readers before the next writer, one in each section. Only those are woken that waited when
 * the call began, so their number is at most that of the tasks. */
static void rwlock_release(pthread_rwlock_t *lock, uint32_t claim, uint32_t given_up) {
    takt_id guard = guard_of(lock);
    uint32_t holders = rwlock_lock(lock);
    store_relaxed(&lock->word, (holders - claim) | GUARDED);
    lock->writers -= given_up;
    uint32_t limit = queue_wake_begin(&lock->queue);
    bool more = true;
    while (more) {
        takt_id task = rwlock_grant(lock, limit, &more);
        guard_release(guard);
        if (task != TAKT_ID_NONE) {
            takt_task_wakeup(task);
        }
        if (more) {
            guard_acquire(guard);
            __atomic_fetch_or(&lock->word, GUARDED, __ATOMIC_ACQUIRE);
        }
    }
}

static int rwlock_acquire(pthread_rwlock_t *lock, uint32_t claim, const struct timespec *time) {
    struct waiter *self = waiter_self();
    takt_time until = TAKT_FOR_EVER;
    if (!rwlock_take(lock, claim)) {
        if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == self->task) {
            return EDEADLK;
        }
        if (time && !time_of(CLOCK_REALTIME, time, &until)) {
            return EINVAL;
        }
        if (!rwlock_take_or_join(lock, claim, self) &&
            !queue_wait(&lock->queue, lock, self, until)) {
            if (claim == WRITER) {
                rwlock_release(lock, 0, 1); /* readers that waited behind it may fit now */
            }
            return ETIMEDOUT;
        }
    }
    if (claim == WRITER) {
        store_relaxed(&lock->owner, self->task);
    }
    return 0;
}

static int rwlock_try(pthread_rwlock_t *lock, uint32_t claim) {
    if (!rwlock_take(lock, claim) && !rwlock_take_or_join(lock, claim, 0)) {
        return EBUSY;
    }
    if (claim == WRITER) {
        store_relaxed(&lock->owner, waiter_self()->task);
    }
    return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    return rwlock_acquire(lock, 1, 0);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until) {
    return rwlock_acquire(lock, 1, until);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    return rwlock_try(lock, 1);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    return rwlock_acquire(lock, WRITER, 0);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until) {
    return rwlock_acquire(lock, WRITER, until);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    return rwlock_try(lock, WRITER);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    uint32_t word = word_of(lock);
    bool writes = word & WRITER;
    if ((word & HOLDERS) == 0 || (writes && lock->owner != waiter_self()->task)) {
        return EPERM;
    }
    uint32_t claim = writes ? WRITER : 1;
    if (writes) {
        store_relaxed(&lock->owner, 0);
    }
    if (word & GUARDED || !change_release(&lock->word, word, word - claim)) {
        rwlock_release(lock, claim, 0);
    }
    return 0;
}

/* There is only one process, so no attribute matters. */
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
    *lock = (pthread_rwlock_t){0};
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    bool unused = queue_is_unused(&lock->queue, lock) && (word_of(lock) & HOLDERS) == 0;
    return unused ? 0 : EBUSY;
}
