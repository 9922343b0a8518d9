/* SPDX-License-Identifier: Apache-2.0 */
#include "waiting.h"

#include <errno.h>

#include <takt/posix_system.h>

_Thread_local struct waiter takt_posix_waiter;

takt_id takt_posix_identify(struct waiter *self) {
    self->task = takt_task_self();
    takt_assert(self->task != TAKT_ID_NONE); /* an interrupt handler cannot wait */
    return self->task;
}

/* Adjacent small objects have different guards. */
takt_id guard_of(const void *object) {
    uint64_t mixed = ((uintptr_t)object >> 3) * 0x9e3779b97f4a7c15u;
    return TAKT_POSIX_FIRST_LOCK + (takt_id)(mixed >> 32) % TAKT_POSIX_LOCKS;
}

void guard_acquire(takt_id guard) {
    takt_error error = takt_spin_lock_acquire(guard);
    if (error == TAKT_E_ILUSE) {
        takt_panic(
            "posix: beside deadlines a task that uses the library needs unrestricted = true");
    }
    takt_assert(error == TAKT_OK);
}

void guard_release(takt_id guard) {
    takt_spin_lock_release(guard);
}

void queue_join(struct takt_posix_queue *queue, struct waiter *self) {
    struct waiter *last = queue->last;
    self->next = 0;
    self->previous = last;
    self->ticket = queue->tickets++;
    self->granted = false;
    if (last) {
        last->next = self;
    } else {
        queue->first = self;
    }
    queue->last = self;
}

static void unlink_waiter(struct takt_posix_queue *queue, struct waiter *waiter) {
    if (waiter->previous) {
        waiter->previous->next = waiter->next;
    } else {
        queue->first = waiter->next;
    }
    if (waiter->next) {
        waiter->next->previous = waiter->previous;
    } else {
        queue->last = waiter->previous;
    }
}

takt_id queue_grant(struct takt_posix_queue *queue) {
    struct waiter *first = queue->first;
    if (!first) {
        return TAKT_ID_NONE;
    }
    takt_id task = first->task;
    unlink_waiter(queue, first);
    /* This store comes last, because afterwards the node belongs to its task again. It pairs with
     * the load in queue_wait. */
    store_release(&first->granted, true);
    return task;
}

void waiter_sleep(takt_time until) {
    takt_error error;
    if (until == TAKT_FOR_EVER) {
        error = takt_task_sleep();
    } else {
        takt_time left = until - takt_time_now();
        error = left > 0 ? takt_task_sleep_for(left) : TAKT_E_TMOUT;
    }
    takt_assert(error != TAKT_E_CTX); /* dispatch is disabled, so the wait could never end */
}

/* Waits, and looks at cancellation requests if the wait is a cancellation point. Each round except
 * the last one ends with a wake-up that was meant for something else. A request for cancellation
 * is set before its wake-up is sent, so that it is seen here or the sleep returns at once. */
static int queue_wait_for(struct takt_posix_queue *queue, const void *object, struct waiter *self,
                          takt_time until, bool is_point) {
    for (;;) {
        if (__atomic_load_n(&self->granted, __ATOMIC_ACQUIRE)) {
            return 0;
        }
        int error = 0;
        if (is_point && cancel_is_due()) {
            error = ECANCELED;
        } else {
            waiter_sleep(until);
            if (until != TAKT_FOR_EVER && takt_time_now() >= until) {
                error = ETIMEDOUT;
            }
        }
        if (error) {
            takt_id guard = guard_of(object);
            guard_acquire(guard);
            bool granted = self->granted;
            if (!granted) {
                unlink_waiter(queue, self);
            }
            guard_release(guard);
            return granted ? 0 : error;
        }
    }
}

bool queue_wait(struct takt_posix_queue *queue, const void *object, struct waiter *self,
                takt_time until) {
    return queue_wait_for(queue, object, self, until, false) == 0;
}

int queue_wait_point(struct takt_posix_queue *queue, const void *object, struct waiter *self,
                     takt_time until) {
    return queue_wait_for(queue, object, self, until, true);
}

bool queue_is_before(const struct waiter *waiter, uint32_t limit) {
    return waiter && (int32_t)(waiter->ticket - limit) < 0;
}

uint32_t queue_wake_begin(struct takt_posix_queue *queue) {
    queue->waking++;
    return queue->tickets;
}

void queue_wake_all(struct takt_posix_queue *queue, const void *object, uint32_t limit) {
    takt_id guard = guard_of(object);
    bool more = true;
    while (more) {
        guard_acquire(guard);
        const struct waiter *first = queue->first, *second = first ? first->next : 0;
        more = queue_is_before(second, limit);
        /* This comes before the grant, because a thread that is granted may destroy the object if
         * no other waits. */
        queue->waking -= !more;
        takt_id task = queue_is_before(first, limit) ? queue_grant(queue) : TAKT_ID_NONE;
        guard_release(guard);
        if (task != TAKT_ID_NONE) {
            takt_task_wakeup(task);
        }
    }
}

bool queue_is_unused(struct takt_posix_queue *queue, const void *object) {
    takt_id guard = guard_of(object);
    for (;;) {
        guard_acquire(guard);
        bool waking = queue->waking != 0, left = queue->first == 0;
        guard_release(guard);
        if (!waking) {
            return left;
        }
        takt_task_delay(10 * TAKT_MICROSECOND);
    }
}
