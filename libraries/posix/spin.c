/* SPDX-License-Identifier: Apache-2.0 */
/* A spin lock is a mutex for which a thread looks SPINS times before it queues and sleeps. So a
 * holder of the spinner's core, which is preempted, gets on, and the wait is bounded as a mutex's.
 */
#include <errno.h>
#include <pthread.h>

#include "waiting.h"

enum { SPINS = 200 };

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED) {
        return EINVAL;
    }
    return pthread_mutex_init(&lock->mutex, 0);
}

int pthread_spin_destroy(pthread_spinlock_t *lock) {
    return pthread_mutex_destroy(&lock->mutex);
}

int pthread_spin_lock(pthread_spinlock_t *lock) {
    pthread_mutex_t *mutex = &lock->mutex;
    takt_id self = waiter_self()->task;
    for (int round = 0; round < SPINS; round++) {
        uint32_t word = __atomic_load_n(&mutex->word, __ATOMIC_RELAXED);
        if (word == self) {
            return EDEADLK;
        }
        if (word == 0 && pthread_mutex_trylock(mutex) == 0) {
            return 0;
        }
    }
    return pthread_mutex_lock(mutex);
}

int pthread_spin_trylock(pthread_spinlock_t *lock) {
    return pthread_mutex_trylock(&lock->mutex);
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
    return pthread_mutex_unlock(&lock->mutex);
}
