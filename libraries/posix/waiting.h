/* SPDX-License-Identifier: Apache-2.0 */
/* Threads wait in a queue that is in the object. Each task has a node for it, and a spin lock
 * guards the moment in which nodes are linked. docs/design/threads.md, "Waiting". */
#ifndef LIBRARIES_POSIX_WAITING_H
#define LIBRARIES_POSIX_WAITING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <takt/takt.h>

/* A task's place in the queue of the one object that it waits for. */
struct waiter {
    takt_id task; /* The node is this task's; 0: the task has not been asked for yet. */
    /* The object's guard guards these from the join to the unlinking. */
    struct waiter *next, *previous;
    uint32_t ticket;
    bool granted; /* Who unlinks the node sets it under the guard; the waiter reads it. */
};

extern _Thread_local struct waiter takt_posix_waiter;

takt_id takt_posix_identify(struct waiter *self);

/* The calling task's own. */
static inline struct waiter *waiter_self(void) {
    struct waiter *self = &takt_posix_waiter;
    if (self->task == TAKT_ID_NONE) {
        takt_posix_identify(self);
    }
    return self;
}

/* The spin lock that guards an object's queue; others may have the same one. */
takt_id guard_of(const void *object);
void guard_acquire(takt_id guard);
void guard_release(takt_id guard);

/* Joins the queue, with the guard held. */
void queue_join(struct takt_posix_queue *queue, struct waiter *self);

/* Unlinks the first waiter and grants it what it waits for, with the guard held. The caller wakes
 * the task when it has released the guard. TAKT_ID_NONE: nobody waits. */
takt_id queue_grant(struct takt_posix_queue *queue);

/* Sleeps until the caller, which has joined the queue, is granted, or until the time has come: then
 * it is in no queue, and the answer is false. */
bool queue_wait(struct takt_posix_queue *queue, const void *object, struct waiter *self,
                takt_time until);

/* Begins to wake all, with the guard held. The answer is the limit for queue_wake_all: who joins
 * from now on has a later ticket. */
uint32_t queue_wake_begin(struct takt_posix_queue *queue);

/* Wakes those with tickets before the limit, one a section; at most one for each task. The queue
 * stays until this has returned: see queue_is_left. */
void queue_wake_all(struct takt_posix_queue *queue, const void *object, uint32_t limit);

/* Waits until nobody is waking the queue's waiters. Then: whether none is left. */
bool queue_is_left(struct takt_posix_queue *queue, const void *object);

/* The kernel's time at which a clock shows `time`; false: it is no time, or no such clock. */
bool time_of(clockid_t clock, const struct timespec *time, takt_time *until);

/* Calls the destructors of the calling thread's keys. */
void keys_end(void);

#endif
