/* SPDX-License-Identifier: Apache-2.0 */
/* The skeleton of the services of all objects that tasks wait for: service_check, object_lock, the
 * class's own attempt, waiters_join if that failed and the call may wait, object_unlock_and_wait.
 */
#ifndef KERNEL_OBJECT_H
#define KERNEL_OBJECT_H

#include "core.h"
#include "object/waiters.h"
#include "service.h"
#include "task/wait.h"

/* Disables interrupts and takes the object's lock; returns the interrupts' former state. */
static inline unsigned long object_lock(struct waiters *waiters) {
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&waiters->lock);
    return interrupts;
}

static inline void object_unlock(struct waiters *waiters, unsigned long interrupts) {
    lock_release(&waiters->lock);
    arch_interrupts_restore(interrupts);
}

/* Releases the object's lock and wakes `woken`, the task that the call has unlinked (null: none).
 * Interrupts stay disabled. */
static inline void object_unlock_and_wake(struct waiters *waiters, struct task *woken) {
    lock_release(&waiters->lock);
    if (woken != 0) {
        wait_end(woken, TAKT_OK);
    }
}

/* Does the same, and waits if the call has linked the running task (`waits`). Returns how the wait
 * ended, or `result` if there was none. `class`, `id`: of the object. */
static inline takt_error object_unlock_and_wait(struct waiters *waiters, struct task *woken,
                                                takt_error result, bool waits, takt_time timeout,
                                                enum takt_record_object class, takt_id id) {
    object_unlock_and_wake(waiters, woken);
    return waits ? wait_begin(WAIT_OBJECT, timeout, class, id) : result;
}

/* Returns the first task whose wait has not ended, TAKT_ID_NONE if none waits. With the lock held.
 */
takt_id object_first_waiting(const struct waiters *waiters);

/* Returns the first task that waits to send, and to receive, of a queue where only one kind waits
 * at a time. With the lock held. */
static inline takt_id object_first_sender(const struct waiters *waiters) {
    return waiters->senders_wait ? object_first_waiting(waiters) : TAKT_ID_NONE;
}

static inline takt_id object_first_receiver(const struct waiters *waiters) {
    return waiters->senders_wait ? TAKT_ID_NONE : object_first_waiting(waiters);
}

/* Ends all waits for the object with TAKT_E_DLT, a task in each section with interrupts disabled,
 * then calls `put_back` in the section in which nobody waits. A job that ends between two sections
 * leaves an object that is as good as before. Bound: a section for each task that waits, and for
 * each that begins to wait meanwhile. */
takt_error object_reset(struct waiters *waiters, void (*put_back)(struct waiters *waiters),
                        const char *service);

#if RESTARTS
/* Does the same for the kernel, which may. By a task, interrupts enabled. */
void object_put_back(struct waiters *waiters, void (*put_back)(struct waiters *waiters));
#endif

#endif
