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
#include <takt_posix_queue.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A handle: an index into the pool, and the generation of that entry. */
typedef unsigned long pthread_t;

typedef struct {
    uint32_t word;    /* the owner's task ID, a bit for a protocol, and one for waiters */
    uint16_t type;    /* PTHREAD_MUTEX_... */
    uint8_t protocol; /* PTHREAD_PRIO_... */
    uint8_t ceiling;  /* the kernel's priority to which the owner is raised; guarded */
    uint32_t depth;   /* locks of a recursive mutex beyond the first; written by the owner */
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
    uint32_t word;    /* the readers, or a bit for the writer; and a bit for waiters */
    uint32_t owner;   /* the writer's task ID; written by the writer */
    uint32_t writers; /* the writers that wait; guarded by the object's guard */
    struct takt_posix_queue queue;
} pthread_rwlock_t;

/* A lock whose waiters look at it for a limited number of times, and then sleep. */
typedef struct {
    pthread_mutex_t mutex;
} pthread_spinlock_t;

typedef struct {
    int done;
    pthread_mutex_t mutex;
} pthread_once_t;

typedef unsigned pthread_key_t;

typedef struct {
    int detach_state;
    size_t stack_size, guard_size;
    int inherits; /* PTHREAD_INHERIT_SCHED or PTHREAD_EXPLICIT_SCHED */
    int policy;
    int priority;
    cpu_set_t cores; /* empty: those of the creator */
} pthread_attr_t;

typedef struct {
    int type;
    int shared;
    int protocol;
    int ceiling;
} pthread_mutexattr_t;

typedef struct {
    clockid_t clock;
    int shared;
} pthread_condattr_t;

typedef struct {
    int shared;
} pthread_barrierattr_t;

typedef struct {
    int shared;
} pthread_rwlockattr_t;

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1

#define PTHREAD_MUTEX_NORMAL     0
#define PTHREAD_MUTEX_RECURSIVE  1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT    PTHREAD_MUTEX_NORMAL

#define PTHREAD_INHERIT_SCHED  0
#define PTHREAD_EXPLICIT_SCHED 1

#define PTHREAD_SCOPE_SYSTEM  0
#define PTHREAD_SCOPE_PROCESS 1

#define PTHREAD_CANCEL_ENABLE       0
#define PTHREAD_CANCEL_DISABLE      1
#define PTHREAD_CANCEL_DEFERRED     0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED            ((void *)-1)

#define PTHREAD_PRIO_NONE    0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2

#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED  1

#define PTHREAD_BARRIER_SERIAL_THREAD (-1)

#define PTHREAD_KEYS_MAX              128
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define PTHREAD_STACK_MIN             1024

/* An object of zeros, without a warning in either language. */
#ifdef __cplusplus
#define TAKT_POSIX_ZEROS                                                                           \
    {}
#else
#define TAKT_POSIX_ZEROS                                                                           \
    { 0 }
#endif
#define PTHREAD_MUTEX_INITIALIZER TAKT_POSIX_ZEROS
#define PTHREAD_COND_INITIALIZER  TAKT_POSIX_ZEROS
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP                                                     \
    { .type = PTHREAD_MUTEX_RECURSIVE }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP                                                    \
    { .type = PTHREAD_MUTEX_ERRORCHECK }
#define PTHREAD_RWLOCK_INITIALIZER TAKT_POSIX_ZEROS
/* This value can also be assigned, as on Linux. */
#ifdef __cplusplus
#define PTHREAD_ONCE_INIT TAKT_POSIX_ZEROS
#else
#define PTHREAD_ONCE_INIT ((pthread_once_t){0})
#endif

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
__attribute__((noreturn)) void pthread_exit(void *result);
/* Requests the end of a thread at its next cancellation point: pthread_testcancel, pthread_join,
 * waits for a condition variable or semaphore, and sleeps. */
int pthread_cancel(pthread_t thread);
void pthread_testcancel(void);
int pthread_setcancelstate(int state, int *previous);
/* PTHREAD_CANCEL_ASYNCHRONOUS is refused with ENOTSUP. */
int pthread_setcanceltype(int type, int *previous);

/* A cleanup handler is called when it is popped with `execute`, or the thread exits or is
 * cancelled. Each push needs a pop in the same block. */
struct takt_posix_cleanup {
    void (*routine)(void *);
    void *argument;
    struct takt_posix_cleanup *outer;
};
void takt_posix_cleanup_push(struct takt_posix_cleanup *handler);
void takt_posix_cleanup_pop(struct takt_posix_cleanup *handler, int execute);
#define pthread_cleanup_push(routine, argument)                                                    \
    {                                                                                              \
        struct takt_posix_cleanup takt_posix_handler = {routine, argument, 0};                     \
        takt_posix_cleanup_push(&takt_posix_handler);
#define pthread_cleanup_pop(execute)                                                               \
    takt_posix_cleanup_pop(&takt_posix_handler, execute);                                          \
    }

pthread_t pthread_self(void);
int pthread_equal(pthread_t one, pthread_t other);

/* A name has up to 15 characters: ERANGE: it is longer, or longer than `size` has room for. */
int pthread_setname_np(pthread_t thread, const char *name);
int pthread_getname_np(pthread_t thread, char *name, size_t size);
/* A hint without effect: every thread is a task of the kernel. */
int pthread_setconcurrency(int level);
int pthread_getconcurrency(void);
int pthread_yield(void); /* sched_yield */

int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state);
/* Every stack has the described size: a larger one is an EINVAL. */
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size);

/* Below every stack lies a guard that is larger than any frame: the size that is asked for is kept,
 * and changes nothing. */
int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t size);
int pthread_attr_getguardsize(const pthread_attr_t *attributes, size_t *size);

int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherits);
int pthread_attr_getinheritsched(const pthread_attr_t *attributes, int *inherits);
/* SCHED_FIFO and SCHED_OTHER; SCHED_RR is refused with ENOTSUP. */
int pthread_attr_setschedpolicy(pthread_attr_t *attributes, int policy);
int pthread_attr_getschedpolicy(const pthread_attr_t *attributes, int *policy);
int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *parameter);
int pthread_attr_getschedparam(const pthread_attr_t *attributes, struct sched_param *parameter);
/* PTHREAD_SCOPE_PROCESS is refused with ENOTSUP. */
int pthread_attr_setscope(pthread_attr_t *attributes, int scope);
int pthread_attr_getscope(const pthread_attr_t *attributes, int *scope);
/* The thread gets an entry of the pool on one of these cores. pthread_create returns EAGAIN if none
 * of them has a free entry. */
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set);
int pthread_attr_getaffinity_np(const pthread_attr_t *attributes, size_t size, cpu_set_t *set);

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameter);
int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameter);
int pthread_setschedprio(pthread_t thread, int priority);
/* A thread does not leave its core: a set without this core is an EINVAL. */
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set);
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);
int pthread_mutex_unlock(pthread_mutex_t *mutex);

int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attributes, int *shared);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *type);
/* The owner of a mutex with PTHREAD_PRIO_INHERIT has at least the priority of each thread that
 * waits for it, and so on if it waits itself; of one with PTHREAD_PRIO_PROTECT at least the
 * ceiling, 1 to 64, whoever waits. Both hand the mutex over in the order of priorities. They hold
 * across cores. */
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attributes, int *protocol);
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attributes, int ceiling);
int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attributes, int *ceiling);
int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *former);
int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling);

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);

int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_destroy(pthread_condattr_t *attributes);
int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared);
int pthread_condattr_getpshared(const pthread_condattr_t *attributes, int *shared);
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

/* Readers and writers are served in FIFO order: a reader that comes while a writer waits, waits
 * behind it, even if its thread has the lock for reading already. */
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);

int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes);
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attributes, int shared);
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attributes, int *shared);

/* A thread that finds the lock taken spins for a limited time and then sleeps in the lock's queue,
 * so that it does not keep a holder of the same core from running. */
int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t *lock);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);

int pthread_once(pthread_once_t *once, void (*routine)(void));

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);
void *pthread_getspecific(pthread_key_t key);

#ifdef __cplusplus
}
#endif

#endif
