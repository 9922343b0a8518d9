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
#include "protocol.h"
#include "thread.h"
#include "waiting.h"

/* The first entry runs main, and is in use from the start. */
struct thread takt_posix_threads[TAKT_POSIX_THREADS] = {
    {.start = program_run, .state = RUNNING, .scheduling.cores = {{UINT64_MAX, UINT64_MAX}}}};
static struct thread *const threads = takt_posix_threads;

void (*takt_posix_keys_destroy)(void);

enum { CORES = TAKT_POSIX_CORES, WORDS = CPU_SETSIZE / 64 };

/* The free entries of each core: those that were never used, of which `fresh` is the first, and a
 * list in the order in which they were freed. Entry i is on core i modulo CORES. Guarded by the
 * pool's guard. */
static struct {
    struct {
        unsigned used; /* the number of entries that have been used */
        struct thread *first, *last;
    } cores[CORES];
    uint64_t empty[WORDS]; /* the cores without a free entry */
    unsigned next;         /* the core that is next in turn */
} pool = {.cores = {{.used = 1}}, .next = 1 % CORES};

static unsigned living = 1;

/* Returns the first core from `from` on that is in the set and may have a free entry; CORES: there
 * is none. The loop has two rounds. */
static unsigned core_find(const cpu_set_t *set, unsigned from) {
    for (unsigned word = from / 64; word < WORDS; word++) {
        uint64_t bits = set->bits[word] & ~pool.empty[word];
        if (word == from / 64) {
            bits &= UINT64_MAX << from % 64;
        }
        unsigned core = word * 64 + (unsigned)__builtin_ctzl(bits | (uint64_t)1 << 63);
        if (bits) {
            return core < CORES ? core : CORES;
        }
    }
    return CORES;
}

static struct thread *entry_take(unsigned core) {
    struct thread *found = pool.cores[core].first;
    size_t fresh = (size_t)pool.cores[core].used * CORES + core;
    if (fresh < TAKT_POSIX_THREADS) {
        pool.cores[core].used++;
        return &threads[fresh];
    }
    if (found) {
        pool.cores[core].first = found->next;
    } else {
        pool.empty[core / 64] |= (uint64_t)1 << core % 64;
    }
    return found;
}

/* Takes an entry of the next core in turn that is in the set and has one. The loop ends after one
 * round for each core, because a round that finds nothing marks its core as empty. */
static struct thread *pool_take(const cpu_set_t *set) {
    struct thread *found = 0;
    takt_id guard = guard_of(&pool);
    guard_acquire(guard);
    for (;;) {
        unsigned core = core_find(set, pool.next);
        core = core < CORES ? core : core_find(set, 0);
        if (core == CORES) {
            break;
        }
        found = entry_take(core);
        if (found) {
            pool.next = (core + 1) % CORES;
            break;
        }
    }
    guard_release(guard);
    return found;
}

static void pool_put(struct thread *thread) {
    unsigned core = (unsigned)(thread - threads) % CORES;
    takt_id guard = guard_of(&pool);
    guard_acquire(guard);
    thread->next = 0;
    if (pool.cores[core].first) {
        pool.cores[core].last->next = thread;
    } else {
        pool.cores[core].first = thread;
    }
    pool.cores[core].last = thread;
    pool.empty[core / 64] &= ~((uint64_t)1 << core % 64);
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

struct thread *thread_lock(pthread_t handle) {
    struct thread *thread = thread_of_handle(handle);
    if (thread) {
        guard_acquire(guard_of(thread));
        if (thread->state != UNUSED && handle_of(thread) == handle) {
            return thread;
        }
        guard_release(guard_of(thread));
    }
    return 0;
}

void thread_unlock(struct thread *thread) {
    guard_release(guard_of(thread));
}

struct thread *thread_self(void) {
    size_t index = waiter_self()->task - TAKT_POSIX_FIRST_TASK;
    return index < TAKT_POSIX_THREADS ? &threads[index] : 0;
}

takt_id thread_task(const struct thread *thread) {
    return TAKT_POSIX_FIRST_TASK + (takt_id)(thread - threads);
}

pthread_t pthread_self(void) {
    const struct thread *self = thread_self();
    return self ? handle_of(self) : 0;
}

int pthread_equal(pthread_t one, pthread_t other) {
    return one == other;
}

/* Returns the caller's scheduling, which a thread has that it creates without attributes. */
static struct scheduling scheduling_of_caller(void) {
    struct thread *self = thread_self();
    if (!self) {
        return (struct scheduling){SCHED_OTHER, 0, cores_all()};
    }
    takt_id guard = guard_of(self);
    guard_acquire(guard);
    struct scheduling scheduling = self->scheduling;
    guard_release(guard);
    return scheduling;
}

int thread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *),
                  int (*start_c11)(void *), void *argument) {
    struct scheduling scheduling = scheduling_of_caller();
    if (attributes && attributes->inherits == PTHREAD_EXPLICIT_SCHED) {
        unsigned priority;
        scheduling.policy = attributes->policy;
        scheduling.priority = attributes->priority;
        if (!priority_of(scheduling.policy, scheduling.priority, &priority)) {
            return EINVAL;
        }
    }
    if (attributes && CPU_COUNT(&attributes->cores) > 0) {
        scheduling.cores = attributes->cores;
    }
    struct thread *thread = pool_take(&scheduling.cores);
    if (!thread) {
        return EAGAIN;
    }
    thread->start = start;
    thread->start_c11 = start_c11;
    thread->argument = argument;
    takt_id guard = guard_of(thread);
    guard_acquire(guard);
    thread->scheduling = scheduling;
    thread->cancelled = false;
    thread->generation++;
    thread->detached = attributes && attributes->detach_state == PTHREAD_CREATE_DETACHED;
    thread->state = RUNNING;
    *handle = handle_of(thread); /* before the thread can end */
    guard_release(guard);
    __atomic_fetch_add(&living, 1, __ATOMIC_RELAXED);
    /* If the former job of the task has not ended yet, this job begins when it has. */
    takt_assert(takt_task_activate(thread_task(thread)) == TAKT_OK);
    return 0;
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
    return thread_create(handle, attributes, start, 0, argument);
}

/* Ends the calling thread. */
static _Noreturn void thread_end(struct thread *self, void *result) {
    cancel_clean_up();
    if (takt_posix_keys_destroy) {
        takt_posix_keys_destroy();
    }
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
        cancel_clean_up();
        takt_task_exit();
    }
    thread_end(self, result);
}

/* The wake-up may reach a later thread of the same task, whose wait looks again. */
int pthread_cancel(pthread_t handle) {
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    store_release(&thread->cancelled, true); /* pairs with the load in cancel_is_due */
    thread_unlock(thread);
    if (thread != thread_self()) {
        takt_task_wakeup(thread_task(thread));
    }
    return 0;
}

int pthread_join(pthread_t handle, void **result) {
    struct waiter *self = waiter_self();
    pthread_testcancel();
    if (thread_self() && handle == pthread_self()) {
        return EDEADLK;
    }
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    int error = thread->detached || thread->joiner.first ? EINVAL : 0;
    bool running = error == 0 && thread->state == RUNNING;
    if (running) {
        queue_join(&thread->joiner, self);
    } else if (error == 0) {
        thread->state = UNUSED;
    }
    thread_unlock(thread);
    if (error) {
        return error;
    }
    if (running) {
        if (queue_wait_point(&thread->joiner, thread, self, TAKT_FOR_EVER) != 0) {
            pthread_testcancel();
        }
        /* When the guard can be acquired, the ending thread has released it and does not access the
         * entry any more. */
        takt_id guard = guard_of(thread);
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
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    int error = thread->detached || thread->joiner.first ? EINVAL : 0;
    bool ended = error == 0 && thread->state == ENDED;
    if (ended) {
        thread->state = UNUSED;
    } else if (error == 0) {
        thread->detached = true;
    }
    thread_unlock(thread);
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

/* Takes the priority that the creator has chosen. */
static void thread_take_priority(struct thread *self) {
    struct scheduling scheduling = scheduling_of_caller();
    unsigned priority;
    if (takt_posix_protocol) {
        takt_posix_protocol->changed(thread_task(self));
    } else if (scheduling.policy != SCHED_OTHER &&
               priority_of(scheduling.policy, scheduling.priority, &priority)) {
        takt_task_set_priority(thread_task(self), priority);
    }
}

/* The entry of every thread's task. */
void takt_posix_thread(intptr_t index) {
    struct thread *self = &threads[index];
    thread_reset_storage();
    thread_take_priority(self);
    if (self->start_c11) {
        thread_end(self, (void *)(intptr_t)self->start_c11(self->argument));
    }
    thread_end(self, self->start(self->argument));
}
