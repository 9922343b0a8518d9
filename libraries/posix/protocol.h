/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes that raise their owner: by inheritance or to a ceiling. docs/design/threads.md,
 * "Protocols". */
#ifndef LIBRARIES_POSIX_PROTOCOL_H
#define LIBRARIES_POSIX_PROTOCOL_H

#include <pthread.h>

#include <takt/types.h>

/* A bit of the word of such a mutex, also while it is unlocked: so the compare-and-swap that locks
 * other mutexes fails, and these pay nothing for it. */
#define MUTEX_PROTOCOL ((uint32_t)1 << 30)
#define MUTEX_WAITERS  ((uint32_t)1 << 31)
#define MUTEX_OWNER    (MUTEX_PROTOCOL - 1)

enum { LOWEST_PRIORITY = 1, HIGHEST_PRIORITY = 64 }; /* POSIX's */

struct protocol_calls {
    /* Locks the mutex, or waits for it until the time; a time in the past does not wait. Returns 0,
     * ETIMEDOUT, or EINVAL: the caller's own priority is above the ceiling. */
    int (*lock)(pthread_mutex_t *mutex, takt_id self, takt_time until);
    void (*unlock)(pthread_mutex_t *mutex, takt_id self);
    /* The own priority of a thread has changed. */
    void (*changed)(takt_id task);
};

/* NULL: no attribute with a protocol was ever made. Written by pthread_mutexattr_setprotocol, so
 * that a program without protocols has nothing of them. */
extern const struct protocol_calls *takt_posix_protocol;

#endif
