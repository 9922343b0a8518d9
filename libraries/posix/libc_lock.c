/* SPDX-License-Identifier: Apache-2.0 */
/* The locks that picolibc calls: each stream has one, and all other shared data has another one. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/lock.h>

struct __lock {
    pthread_mutex_t mutex;
};

struct __lock __lock___libc_recursive_mutex = {{.type = PTHREAD_MUTEX_RECURSIVE}};

/* Creates a lock. If there is no memory for it, the lock is the one of the other shared data. */
static void lock_make(_LOCK_T *lock, uint32_t type) {
    *lock = malloc(sizeof **lock);
    if (*lock) {
        (*lock)->mutex = (pthread_mutex_t){.type = (uint16_t)type};
    } else {
        *lock = &__lock___libc_recursive_mutex;
    }
}

void __retarget_lock_init(_LOCK_T *lock) {
    lock_make(lock, PTHREAD_MUTEX_NORMAL);
}

void __retarget_lock_init_recursive(_LOCK_T *lock) {
    lock_make(lock, PTHREAD_MUTEX_RECURSIVE);
}

void __retarget_lock_close(_LOCK_T lock) {
    if (lock != &__lock___libc_recursive_mutex) {
        free(lock);
    }
}

void __retarget_lock_close_recursive(_LOCK_T lock) {
    __retarget_lock_close(lock);
}

void __retarget_lock_acquire(_LOCK_T lock) {
    pthread_mutex_lock(&lock->mutex);
}

void __retarget_lock_acquire_recursive(_LOCK_T lock) {
    pthread_mutex_lock(&lock->mutex);
}

int __retarget_lock_try_acquire(_LOCK_T lock) {
    return pthread_mutex_trylock(&lock->mutex) == 0;
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock) {
    return pthread_mutex_trylock(&lock->mutex) == 0;
}

void __retarget_lock_release(_LOCK_T lock) {
    pthread_mutex_unlock(&lock->mutex);
}

void __retarget_lock_release_recursive(_LOCK_T lock) {
    pthread_mutex_unlock(&lock->mutex);
}
