/* SPDX-License-Identifier: Apache-2.0 */
/* Threads are tasks of a pool. An entry of the pool is allocated, runs one job of its task, and is
 * freed when the thread has ended and its result cannot be requested any more. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <takt/posix_system.h>
#include <takt/system_ids.h>

#include "program.h"
#include "waiting.h"

enum state { UNUSED, RUNNING, ENDED };

struct thread {
    /* Written by the creator before it activates the task, and read by the thread. */
    void *(*start)(void *);
    void *argument;
    /* Guarded by the thread's guard. */
    enum state state;
    bool detached;
    uint32_t generation; /* how often the entry was allocated */
    void *result;
    struct takt_posix_queue joiner; /* at most one thread */
    /* Guarded by the pool's guard. */
    struct thread *next;
} __attribute__((aligned(64)));

/* The first entry runs main, and is in use from the start. */
static struct thread threads[TAKT_POSIX_THREADS] = {{.start = program_run, .state = RUNNING}};

/* The free entries: those from `fresh` on, and a list in the order in which they were freed. */
static struct {
    unsigned fresh;
    struct thread *first, *last;
} pool = {.fresh = 1};

static unsigned living = 1;

static struct thread *pool_take(void) {
    struct thread *found = 0;
    takt_id guard = guard_of(&pool);
    guard_acquire(guard);
    if (pool.fresh < TAKT_POSIX_THREADS) {
        found = &threads[pool.fresh++];
    } else if (pool.first) {
        found = pool.first;
        pool.first = found->next;
    }
    guard_release(guard);
    return found;
}

static void pool_put(struct thread *thread) {
    takt_id guard = guard_of(&pool);
    guard_acquire(guard);
    thread->next = 0;
    if (pool.first) {
        pool.last->next = thread;
    } else {
        pool.first = thread;
    }
    pool.last = thread;
    guard_release(guard);
}

static pthread_t handle_of(const struct thread *thread) {
    return (pthread_t)thread->generation << 16 | (pthread_t)(thread - threads + 1);
}

/* Returns the entry of a handle, whose thread may have ended long ago; NULL: there is no such
 * entry. */
static struct thread *thread_of_handle(pthread_t handle) {
    size_t index = (handle & 0xffff) - 1;
    return index < TAKT_POSIX_THREADS ? &threads[index] : 0;
}

/* Returns whether the entry still belongs to the thread of the handle. The guard is held. */
static bool thread_is_valid(const struct thread *thread, pthread_t handle) {
    return thread->state != UNUSED && handle_of(thread) == handle;
}

/* Returns the caller's entry; NULL: the caller is a task of the description. */
static struct thread *thread_self(void) {
    size_t index = waiter_self()->task - TAKT_POSIX_FIRST_TASK;
    return index < TAKT_POSIX_THREADS ? &threads[index] : 0;
}

pthread_t pthread_self(void) {
    const struct thread *self = thread_self();
    return self ? handle_of(self) : 0;
}

int pthread_equal(pthread_t one, pthread_t other) {
    return one == other;
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
    struct thread *thread = pool_take();
    if (!thread) {
        return EAGAIN;
    }
    thread->start = start;
    thread->argument = argument;
    takt_id guard = guard_of(thread);
    guard_acquire(guard);
    thread->generation++;
    thread->detached = attributes && attributes->detach_state == PTHREAD_CREATE_DETACHED;
    thread->state = RUNNING;
    *handle = handle_of(thread); /* before the thread can end */
    guard_release(guard);
    __atomic_fetch_add(&living, 1, __ATOMIC_RELAXED);
    /* If the former job of the task has not ended yet, this job begins when it has. */
    takt_assert(takt_task_activate(TAKT_POSIX_FIRST_TASK + (takt_id)(thread - threads)) == TAKT_OK);
    return 0;
}

/* Ends the calling thread. */
static _Noreturn void thread_end(struct thread *self, void *result) {
    keys_destroy();
    fflush(stdout);
    /* Acquire and release: the last thread sees the effects of all others. */
    if (__atomic_fetch_sub(&living, 1, __ATOMIC_ACQ_REL) == 1) {
        exit(0);
    }
    takt_id guard = guard_of(self);
    guard_acquire(guard);
    self->result = result;
    bool detached = self->detached;
    takt_id joiner = queue_grant(&self->joiner);
    self->state = detached || joiner != TAKT_ID_NONE ? UNUSED : ENDED;
    guard_release(guard);
    /* From here on another thread may allocate the entry, unless this one was detached. */
    if (detached) {
        pool_put(self);
    }
    if (joiner != TAKT_ID_NONE) {
        takt_task_wakeup(joiner);
    }
    takt_task_exit();
}

void pthread_exit(void *result) {
    struct thread *self = thread_self();
    if (!self) {
        takt_task_exit();
    }
    thread_end(self, result);
}

int pthread_join(pthread_t handle, void **result) {
    struct thread *thread = thread_of_handle(handle);
    struct waiter *self = waiter_self();
    if (!thread) {
        return ESRCH;
    }
    if (thread == thread_self() && handle == handle_of(thread)) {
        return EDEADLK;
    }
    takt_id guard = guard_of(thread);
    guard_acquire(guard);
    int error = !thread_is_valid(thread, handle)           ? ESRCH
                : thread->detached || thread->joiner.first ? EINVAL
                                                           : 0;
    bool running = error == 0 && thread->state == RUNNING;
    if (running) {
        queue_join(&thread->joiner, self);
    } else if (error == 0) {
        thread->state = UNUSED;
    }
    guard_release(guard);
    if (error) {
        return error;
    }
    if (running) {
        queue_wait(&thread->joiner, thread, self, TAKT_FOR_EVER);
        /* When the guard can be acquired, the ending thread has released it and does not access the
         * entry any more. */
        guard_acquire(guard);
        guard_release(guard);
    }
    if (result) {
        *result = thread->result;
    }
    pool_put(thread);
    return 0;
}

int pthread_detach(pthread_t handle) {
    struct thread *thread = thread_of_handle(handle);
    if (!thread) {
        return ESRCH;
    }
    takt_id guard = guard_of(thread);
    guard_acquire(guard);
    int error = !thread_is_valid(thread, handle)           ? ESRCH
                : thread->detached || thread->joiner.first ? EINVAL
                                                           : 0;
    bool ended = error == 0 && thread->state == ENDED;
    if (ended) {
        thread->state = UNUSED;
    } else if (error == 0) {
        thread->detached = true;
    }
    guard_release(guard);
    if (ended) {
        pool_put(thread);
    }
    return error;
}

/* Symbols of the linker script: the initial values of thread-local storage, and its size. The size
 * is no address near the code, so it is read from memory. */
extern const char takt_tls_start[], takt_tls_end[];
extern const char takt_tls_extent[];
static const volatile uintptr_t storage_size = (uintptr_t)takt_tls_extent;

/* Gives the thread-local storage its initial values again, because an earlier thread of this task
 * has used it. */
static __attribute__((noinline)) void thread_reset_storage(void) {
    char *storage = __builtin_thread_pointer();
    size_t initialised = (size_t)(takt_tls_end - takt_tls_start);
    memcpy(storage, takt_tls_start, initialised);
    memset(storage + initialised, 0, storage_size - initialised);
}

/* The entry of every thread's task. */
void takt_posix_thread(intptr_t index) {
    struct thread *self = &threads[index];
    thread_reset_storage();
    thread_end(self, self->start(self->argument));
}
