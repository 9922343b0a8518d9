/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>

#include "waiting.h"

/* The last one wakes the others, and those of its round only: who comes back meanwhile stands
 * behind them, with a later ticket. */
int pthread_barrier_wait(pthread_barrier_t *barrier) {
    struct waiter *self = waiter_self();
    takt_id guard = guard_of(barrier);
    guard_acquire(guard);
    bool opens = ++barrier->arrived == barrier->count;
    if (opens) {
        barrier->arrived = 0;
    } else {
        queue_join(&barrier->queue, self);
    }
    guard_release(guard);
    if (!opens) {
        queue_wait(&barrier->queue, barrier, self, TAKT_FOR_EVER);
        return 0;
    }
    queue_wake_all(&barrier->queue, barrier);
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

/* Those that stand in the queue although nobody has arrived are being woken: the barrier has opened
 * for them, and they may be waited for. */
int pthread_barrier_destroy(pthread_barrier_t *barrier) {
    takt_id guard = guard_of(barrier);
    for (;;) {
        guard_acquire(guard);
        bool waiting = barrier->arrived != 0, waking = barrier->queue.first != 0;
        guard_release(guard);
        if (waiting || !waking) {
            return waiting ? EBUSY : 0;
        }
        takt_task_delay(10 * TAKT_MICROSECOND);
    }
}
