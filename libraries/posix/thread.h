/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the pool of threads. */
#ifndef LIBRARIES_POSIX_THREAD_H
#define LIBRARIES_POSIX_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include <takt/posix_system.h>
#include <takt/types.h>

enum thread_state { UNUSED, RUNNING, ENDED };

struct scheduling {
    int policy, priority; /* POSIX's */
    cpu_set_t cores;      /* where the thread may be; its task's core is among them */
};

struct thread {
    /* Written by the creator before it activates the task, and read by the thread. */
    void *(*start)(void *);
    int (*start_c11)(void *); /* the start function of <threads.h>, instead of `start` */
    void *argument;
    /* Guarded by the thread's guard. */
    enum thread_state state;
    bool detached;
    struct scheduling scheduling;
    uint32_t generation; /* how often the entry was allocated */
    void *result;
    struct takt_posix_queue joiner; /* at most one thread */
    /* Set under the thread's guard by pthread_cancel, and read by the thread. */
    bool cancelled;
    /* Guarded by the pool's guard. */
    struct thread *next;
} __attribute__((aligned(64)));

extern struct thread takt_posix_threads[TAKT_POSIX_THREADS];

/* Returns the caller's entry; NULL: the caller is a task of the description. */
struct thread *thread_self(void);

/* Returns the entry of a handle with its guard held; NULL, without it, if the handle's thread has
 * ended and its result cannot be requested any more. */
struct thread *thread_lock(pthread_t handle);
void thread_unlock(struct thread *thread);

/* Returns the task that runs the thread. */
takt_id thread_task(const struct thread *thread);

/* Creates a thread with one of the two start functions. */
int thread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *),
                  int (*start_c11)(void *), void *argument);

/* Converts POSIX's priority to the kernel's; returns false if the policy does not have it. */
bool priority_of(int policy, int priority, unsigned *kernel_priority);

/* Returns the cores of the system. */
cpu_set_t cores_all(void);

#endif
