/* SPDX-License-Identifier: Apache-2.0 */
/* C11's <threads.h> on the POSIX functions. */
#include <errno.h>
#include <threads.h>

#include "thread.h"

static int result_of(int error) {
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case EAGAIN:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
    return result_of(thread_create(thread, 0, 0, start, argument));
}

thrd_t thrd_current(void) {
    return pthread_self();
}

int thrd_detach(thrd_t thread) {
    return result_of(pthread_detach(thread));
}

int thrd_equal(thrd_t one, thrd_t other) {
    return pthread_equal(one, other);
}

_Noreturn void thrd_exit(int result) {
    pthread_exit((void *)(intptr_t)result);
}

int thrd_join(thrd_t thread, int *result) {
    void *value;
    int error = pthread_join(thread, &value);
    if (!error && result) {
        *result = (int)(intptr_t)value;
    }
    return result_of(error);
}

int thrd_sleep(const struct timespec *time, struct timespec *rest) {
    return nanosleep(time, rest) == 0 ? 0 : -2; /* -1 is the interrupted sleep */
}

void thrd_yield(void) {
    sched_yield();
}

int mtx_init(mtx_t *mutex, int type) {
    if (type & ~(mtx_plain | mtx_recursive | mtx_timed)) {
        return thrd_error;
    }
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (type & mtx_recursive) {
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    }
    return result_of(pthread_mutex_init(mutex, &attributes));
}

void mtx_destroy(mtx_t *mutex) {
    pthread_mutex_destroy(mutex);
}

int mtx_lock(mtx_t *mutex) {
    return result_of(pthread_mutex_lock(mutex));
}

int mtx_trylock(mtx_t *mutex) {
    return result_of(pthread_mutex_trylock(mutex));
}

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until) {
    return result_of(pthread_mutex_timedlock(mutex, until));
}

int mtx_unlock(mtx_t *mutex) {
    return result_of(pthread_mutex_unlock(mutex));
}

int cnd_init(cnd_t *condition) {
    return result_of(pthread_cond_init(condition, 0));
}

void cnd_destroy(cnd_t *condition) {
    pthread_cond_destroy(condition);
}

int cnd_signal(cnd_t *condition) {
    return result_of(pthread_cond_signal(condition));
}

int cnd_broadcast(cnd_t *condition) {
    return result_of(pthread_cond_broadcast(condition));
}

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return result_of(pthread_cond_wait(condition, mutex));
}

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
                  const struct timespec *restrict until) {
    return result_of(pthread_cond_timedwait(condition, mutex, until));
}

int tss_create(tss_t *key, tss_dtor_t destructor) {
    return result_of(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key) {
    pthread_key_delete(key);
}

void *tss_get(tss_t key) {
    return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value) {
    return result_of(pthread_setspecific(key, value));
}

void call_once(once_flag *flag, void (*routine)(void)) {
    pthread_once(flag, routine);
}
