/* SPDX-License-Identifier: Apache-2.0 */
/* Threads wait in a queue that is part of the object. Each task has one node for this, and a spin
 * lock guards the linking of nodes. docs/design/threads.md, "Waiting". */
#ifndef LIBRARIES_POSIX_WAITING_H
#define LIBRARIES_POSIX_WAITING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <takt/takt.h>

/* Stores as the memory model wants them: GCC up to 13 makes an exchange of __atomic_store_n, for
 * which a line may have to go to its home. */
#define store_relaxed(pointer, value)                                                              \
    do {                                                                                           \
        *(volatile __typeof__(*(pointer)) *)(pointer) = (value);                                   \
    } while (0)

#define store_release(pointer, value)                                                              \
    do {                                                                                           \
        __atomic_thread_fence(__ATOMIC_RELEASE);                                                   \
        store_relaxed(pointer, value);                                                             \
    } while (0)

/* Replaces `before`, if that is the word's value, with release. GCC up to 12 leaves the release out
 * of a compare-and-exchange whose failure has a weaker order, so a fence comes first. */
static inline bool change_release(uint32_t *word, uint32_t before, uint32_t value) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return __atomic_compare_exchange_n(word, &before, value, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* A task's node in the queue of the one object that it waits for. */
struct waiter {
    takt_id task; /* the task that the node belongs to; 0: not set yet */
    /* Guarded by the object's guard from the join to the unlinking. */
    struct waiter *next, *previous;
    uint32_t ticket;
    uint32_t claim; /* what the waiter wants, where the object has more than one thing to give */
    bool granted;   /* set under the guard when the node is unlinked; read by the waiter */
};

extern _Thread_local struct waiter takt_posix_waiter;

takt_id takt_posix_identify(struct waiter *self);

/* Returns the calling task's node. */
static inline struct waiter *waiter_self(void) {
    struct waiter *self = &takt_posix_waiter;
    if (self->task == TAKT_ID_NONE) {
        takt_posix_identify(self);
    }
    return self;
}

/* Returns the spin lock that guards an object's queue; several objects may have the same one. */
takt_id guard_of(const void *object);
void guard_acquire(takt_id guard);
void guard_release(takt_id guard);

/* Joins the queue. The guard is held. */
void queue_join(struct takt_posix_queue *queue, struct waiter *self);

/* Unlinks the first waiter and grants its request. The guard is held. The caller wakes the returned
 * task after it has released the guard. TAKT_ID_NONE: no task waits. */
takt_id queue_grant(struct takt_posix_queue *queue);

/* Sleeps until the caller, which has joined the queue, is granted its request, and returns true. If
 * the time comes first, unlinks the caller and returns false. */
bool queue_wait(struct takt_posix_queue *queue, const void *object, struct waiter *self,
                takt_time until);

/* Sleeps until the caller is woken, for whatever reason, or the time comes. */
void waiter_sleep(takt_time until);

/* Waits like queue_wait at a cancellation point: returns 0, ETIMEDOUT or ECANCELED. After the last
 * one the caller puts its object in order, and calls pthread_testcancel, which does not return. */
int queue_wait_point(struct takt_posix_queue *queue, const void *object, struct waiter *self,
                     takt_time until);

/* Returns whether the caller is to be cancelled at its next cancellation point. */
bool cancel_is_due(void);

/* Calls the cleanup handlers of the calling thread, which is not cancelled any more. */
void cancel_clean_up(void);

/* Begins to wake all waiters. The guard is held. Returns the limit for queue_wake_all: tasks that
 * join from now on have later tickets. */
uint32_t queue_wake_begin(struct takt_posix_queue *queue);

/* Returns whether there is this waiter, and its ticket comes before the limit. The guard is held.
 */
bool queue_is_before(const struct waiter *waiter, uint32_t limit);

/* Wakes the waiters with tickets before the limit, one in each section; their number is at most
 * that of the tasks. The queue exists until this returns: see queue_is_unused. */
void queue_wake_all(struct takt_posix_queue *queue, const void *object, uint32_t limit);

/* Waits until no call of queue_wake_all is under way for the queue. Returns whether the queue is
 * empty. */
bool queue_is_unused(struct takt_posix_queue *queue, const void *object);

/* Converts a clock's time to the kernel's time; returns false for an invalid time or clock. */
bool time_of(clockid_t clock, const struct timespec *time, takt_time *until);

/* Calls the destructors of the calling thread's keys. NULL: no key was ever made. Written by
 * pthread_key_create, so that a program without keys has no storage for their values. */
extern void (*takt_posix_keys_destroy)(void);

#endif
