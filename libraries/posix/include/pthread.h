/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX threads (IEEE Std 1003.1-2017). The functions declared here do what the standard says and
 * return its errors. Missing functions are neither declared nor linked. docs/design/threads.md says
 * how they work; docs/src/threads.md lists them.
 *
 * Threads are tasks of a pool, whose size the description gives. Tasks of the description may also
 * use mutexes, condition variables, barriers and keys; in a system with deadlines only unrestricted
 * tasks may. Context: task, with the CPU unlocked. */
#ifndef LIBRARIES_PTHREAD_H
#define LIBRARIES_PTHREAD_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A handle: an index into the pool, and the generation of that entry. */
typedef unsigned long pthread_t;

/* The threads that wait for an object, in FIFO order; guarded by the object's guard. */
struct takt_posix_queue {
    void *first, *last;
    uint32_t tickets; /* the number of tickets given to waiters so far */
    uint32_t waking;  /* the calls of queue_wake_all that have begun and not ended */
};

typedef struct {
    uint32_t word;  /* the owner's task ID, and a bit for waiters; 0: unlocked */
    uint32_t type;  /* PTHREAD_MUTEX_... */
    uint32_t depth; /* locks of a recursive mutex beyond the first; written by the owner */
    struct takt_posix_queue queue;
} pthread_mutex_t;

typedef struct {
    clockid_t clock; /* 0 means CLOCK_REALTIME */
    struct takt_posix_queue queue;
} pthread_cond_t;

typedef struct {
    unsigned count;   /* the number of participants */
    unsigned arrived; /* the participants of this round that have arrived; guarded */
    struct takt_posix_queue queue;
} pthread_barrier_t;

typedef struct {
    int done;
    pthread_mutex_t mutex;
} pthread_once_t;

typedef unsigned pthread_key_t;

typedef struct {
    int detach_state;
    size_t stack_size;
} pthread_attr_t;

typedef struct {
    int type;
} pthread_mutexattr_t;

typedef struct {
    clockid_t clock;
} pthread_condattr_t;

typedef struct {
    int shared;
} pthread_barrierattr_t;

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1

#define PTHREAD_MUTEX_NORMAL     0
#define PTHREAD_MUTEX_RECURSIVE  1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT    PTHREAD_MUTEX_NORMAL

#define PTHREAD_PRIO_NONE    0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2

#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED  1

#define PTHREAD_BARRIER_SERIAL_THREAD (-1)

#define PTHREAD_KEYS_MAX              32
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define PTHREAD_STACK_MIN             1024

#define PTHREAD_MUTEX_INITIALIZER                                                                  \
    { 0 }
#define PTHREAD_COND_INITIALIZER                                                                   \
    { 0 }
#define PTHREAD_ONCE_INIT                                                                          \
    { 0 }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
_Noreturn void pthread_exit(void *result);
pthread_t pthread_self(void);
int pthread_equal(pthread_t one, pthread_t other);

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state);
/* Every stack has the described size: a larger one is an EINVAL. */
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size);

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int pthread_mutex_unlock(pthread_mutex_t *mutex);

int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *type);
/* Priority inheritance and ceilings are refused with ENOTSUP. */
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attributes, int *protocol);

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);

int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_destroy(pthread_condattr_t *attributes);
int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int pthread_condattr_getclock(const pthread_condattr_t *attributes, clockid_t *clock);

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                         unsigned count);
int pthread_barrier_destroy(pthread_barrier_t *barrier);
int pthread_barrier_wait(pthread_barrier_t *barrier);

int pthread_barrierattr_init(pthread_barrierattr_t *attributes);
int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attributes, int *shared);

int pthread_once(pthread_once_t *once, void (*routine)(void));

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);
void *pthread_getspecific(pthread_key_t key);

#endif
