/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>

#include "waiting.h"

/* The last participant wakes the others, but only those of its round: a thread that already waits
 * for the next round is behind them in the queue and has a later ticket. */
int pthread_barrier_wait(pthread_barrier_t *barrier) {
    struct waiter *self = waiter_self();
    takt_id guard = guard_of(barrier);
    guard_acquire(guard);
    bool opens = ++barrier->arrived == barrier->count;
    uint32_t limit = 0;
    if (opens) {
        barrier->arrived = 0;
        limit = queue_wake_begin(&barrier->queue);
    } else {
        queue_join(&barrier->queue, self);
    }
    guard_release(guard);
    if (!opens) {
        queue_wait(&barrier->queue, barrier, self, TAKT_FOR_EVER);
        return 0;
    }
    queue_wake_all(&barrier->queue, barrier, limit);
    return PTHREAD_BARRIER_SERIAL_THREAD;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                         unsigned count) {
    if (count == 0) {
        return EINVAL;
    }
    *barrier = (pthread_barrier_t){.count = count};
    return 0;
}

/* The call waits until the waiters of an opened round have been woken. */
int pthread_barrier_destroy(pthread_barrier_t *barrier) {
    return queue_is_unused(&barrier->queue, barrier) ? 0 : EBUSY;
}
