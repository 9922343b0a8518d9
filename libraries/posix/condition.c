/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>

#include "protocol.h"
#include "waiting.h"

static int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, takt_time until) {
    struct waiter *self = waiter_self();
    if ((__atomic_load_n(&mutex->word, __ATOMIC_RELAXED) & MUTEX_OWNER) != self->task) {
        return EPERM;
    }
    /* The node is linked before the mutex is unlocked, so that no later signal is missed. Unlocking
     * the mutex does not need the caller's node. */
    takt_id guard = guard_of(condition);
    guard_acquire(guard);
    queue_join(&condition->queue, self);
    guard_release(guard);
    uint32_t depth = mutex->depth;
    mutex->depth = 0;
    pthread_mutex_unlock(mutex);
    int error = queue_wait_point(&condition->queue, condition, self, until);
    pthread_mutex_lock(mutex);
    mutex->depth = depth;
    if (error == ECANCELED) {
        pthread_testcancel();
    }
    return error;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return condition_wait(condition, mutex, TAKT_FOR_EVER);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *time) {
    takt_time until;
    return time_of(clock, time, &until) ? condition_wait(condition, mutex, until) : EINVAL;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *time) {
    clockid_t clock = condition->clock ? condition->clock : CLOCK_REALTIME;
    return pthread_cond_clockwait(condition, mutex, clock, time);
}

int pthread_cond_signal(pthread_cond_t *condition) {
    /* A waiter that joined the queue before this call is seen: either it held the mutex, or the
     * standard promises nothing. */
    if (!__atomic_load_n(&condition->queue.first, __ATOMIC_RELAXED)) {
        return 0;
    }
    takt_id guard = guard_of(condition);
    guard_acquire(guard);
    takt_id task = queue_grant(&condition->queue);
    guard_release(guard);
    if (task != TAKT_ID_NONE) {
        takt_task_wakeup(task);
    }
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    if (!__atomic_load_n(&condition->queue.first, __ATOMIC_RELAXED)) {
        return 0;
    }
    takt_id guard = guard_of(condition);
    guard_acquire(guard);
    uint32_t limit = queue_wake_begin(&condition->queue);
    guard_release(guard);
    queue_wake_all(&condition->queue, condition, limit);
    return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    *condition = (pthread_cond_t){.clock = attributes ? attributes->clock : CLOCK_REALTIME};
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition) {
    return queue_is_unused(&condition->queue, condition) ? 0 : EBUSY;
}
