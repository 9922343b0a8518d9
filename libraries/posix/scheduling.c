/* SPDX-License-Identifier: Apache-2.0 */
/* Priorities and cores of threads. POSIX's priority 64 is the kernel's 1, and 1 is its 64. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "failed.h"
#include "protocol.h"
#include "thread.h"
#include "waiting.h"

enum { LOWEST = LOWEST_PRIORITY, HIGHEST = HIGHEST_PRIORITY };

bool priority_of(int policy, int priority, unsigned *kernel_priority) {
    if (policy == SCHED_OTHER && priority == 0) {
        *kernel_priority = TAKT_PRIORITY_INITIAL;
        return true;
    }
    *kernel_priority = (unsigned)(HIGHEST + LOWEST - priority);
    return policy == SCHED_FIFO && priority >= LOWEST && priority <= HIGHEST;
}

int sched_get_priority_max(int policy) {
    return policy == SCHED_FIFO ? HIGHEST : policy == SCHED_OTHER ? 0 : failed(EINVAL);
}

int sched_get_priority_min(int policy) {
    return policy == SCHED_FIFO ? LOWEST : policy == SCHED_OTHER ? 0 : failed(EINVAL);
}

/* --- The attributes of a thread to be created --------------------------------------------------
 */

int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherits) {
    if (inherits != PTHREAD_INHERIT_SCHED && inherits != PTHREAD_EXPLICIT_SCHED) {
        return EINVAL;
    }
    attributes->inherits = inherits;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attributes, int *inherits) {
    *inherits = attributes->inherits;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attributes, int policy) {
    if (policy != SCHED_OTHER && policy != SCHED_FIFO) {
        return policy == SCHED_RR ? ENOTSUP : EINVAL;
    }
    attributes->policy = policy;
    return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attributes, int *policy) {
    *policy = attributes->policy;
    return 0;
}

/* pthread_create compares the priority with the policy, because either may be set first. */
int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *parameter) {
    if (parameter->sched_priority < 0 || parameter->sched_priority > HIGHEST) {
        return EINVAL;
    }
    attributes->priority = parameter->sched_priority;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attributes, struct sched_param *parameter) {
    *parameter = (struct sched_param){.sched_priority = attributes->priority};
    return 0;
}

int pthread_attr_setscope(pthread_attr_t *attributes, int scope) {
    return scope == PTHREAD_SCOPE_SYSTEM ? 0 : scope == PTHREAD_SCOPE_PROCESS ? ENOTSUP : EINVAL;
}

int pthread_attr_getscope(const pthread_attr_t *attributes, int *scope) {
    *scope = PTHREAD_SCOPE_SYSTEM;
    return 0;
}

/* --- Sets of cores -----------------------------------------------------------------------------
 */

cpu_set_t cores_all(void) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (size_t core = 0; core < TAKT_POSIX_CORES; core++) {
        CPU_SET(core, &cores);
    }
    return cores;
}

/* Reads a set of any size, of which only the cores of the system count; returns EINVAL if it has
 * none. */
static int cores_read(size_t size, const cpu_set_t *set, cpu_set_t *cores) {
    cpu_set_t all = cores_all();
    CPU_ZERO(cores);
    memcpy(cores, set, size < sizeof *cores ? size : sizeof *cores);
    cores->bits[0] &= all.bits[0];
    cores->bits[1] &= all.bits[1];
    return CPU_COUNT(cores) > 0 ? 0 : EINVAL;
}

/* Writes the cores of the system that are in the set. */
static int cores_write(size_t size, cpu_set_t *set, const cpu_set_t *cores) {
    cpu_set_t present;
    if (size < sizeof present || cores_read(sizeof *cores, cores, &present) != 0) {
        return EINVAL;
    }
    memset(set, 0, size);
    memcpy(set, &present, sizeof present);
    return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set) {
    cpu_set_t cores;
    int error = cores_read(size, set, &cores);
    if (!error) {
        attributes->cores = cores;
    }
    return error;
}

int pthread_attr_getaffinity_np(const pthread_attr_t *attributes, size_t size, cpu_set_t *set) {
    cpu_set_t all = cores_all();
    bool chosen = CPU_COUNT(&attributes->cores) > 0;
    return cores_write(size, set, chosen ? &attributes->cores : &all);
}

/* --- Threads that run --------------------------------------------------------------------------
 */

/* Sets the priority, and also the policy if that is not negative. */
static int thread_schedule(pthread_t handle, int policy, int priority) {
    unsigned kernel_priority;
    if (policy == SCHED_RR) {
        return ENOTSUP;
    }
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    policy = policy < 0 ? thread->scheduling.policy : policy;
    bool valid = priority_of(policy, priority, &kernel_priority);
    if (valid) {
        thread->scheduling.policy = policy;
        thread->scheduling.priority = priority;
    }
    thread_unlock(thread);
    if (!valid) {
        return EINVAL;
    }
    if (takt_posix_protocol) {
        takt_posix_protocol->changed(thread_task(thread)); /* mutexes may raise it above that */
        return 0;
    }
    /* A thread that has ended meanwhile has no job, which does not matter. */
    takt_error error = takt_task_set_priority(thread_task(thread), kernel_priority);
    return error == TAKT_E_ILUSE ? EPERM : 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameter) {
    return policy < 0 ? EINVAL : thread_schedule(thread, policy, parameter->sched_priority);
}

int pthread_setschedprio(pthread_t thread, int priority) {
    return thread_schedule(thread, -1, priority);
}

int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *parameter) {
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    *policy = thread->scheduling.policy;
    *parameter = (struct sched_param){.sched_priority = thread->scheduling.priority};
    thread_unlock(thread);
    return 0;
}

int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t *set) {
    cpu_set_t cores;
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    size_t own = (size_t)(thread - takt_posix_threads) % TAKT_POSIX_CORES;
    bool valid = cores_read(size, set, &cores) == 0 && CPU_ISSET(own, &cores);
    if (valid) {
        thread->scheduling.cores = cores;
    }
    thread_unlock(thread);
    return valid ? 0 : EINVAL;
}

int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *set) {
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    cpu_set_t cores = thread->scheduling.cores;
    thread_unlock(thread);
    return cores_write(size, set, &cores);
}

static int failed_unless_zero(int error) {
    return error ? failed(error) : 0;
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set) {
    int error = process == 0 ? pthread_setaffinity_np(pthread_self(), size, set) : ESRCH;
    return failed_unless_zero(error);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    int error = process == 0 ? pthread_getaffinity_np(pthread_self(), size, set) : ESRCH;
    return failed_unless_zero(error);
}

/* Returns the policy that the calling thread had before. */
int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameter) {
    int before = sched_getscheduler(process);
    if (before < 0) {
        return -1;
    }
    int error = pthread_setschedparam(pthread_self(), policy, parameter);
    return error ? failed(error == ENOTSUP ? EINVAL : error) : before;
}

/* Reads the calling thread's policy and priority. Returns -1 with errno set; ESRCH: it is no
 * thread of the pool, or the number is not the process's. */
static int process_scheduling(pid_t process, int *policy, struct sched_param *parameter) {
    bool ours = process == 0 || process == getpid();
    return failed_unless_zero(ours ? pthread_getschedparam(pthread_self(), policy, parameter)
                                   : ESRCH);
}

int sched_getscheduler(pid_t process) {
    int policy;
    struct sched_param parameter;
    return process_scheduling(process, &policy, &parameter) ? -1 : policy;
}

int sched_getparam(pid_t process, struct sched_param *parameter) {
    int policy;
    return process_scheduling(process, &policy, parameter);
}

int sched_setparam(pid_t process, const struct sched_param *parameter) {
    int policy = sched_getscheduler(process);
    return policy < 0 || sched_setscheduler(process, policy, parameter) < 0 ? -1 : 0;
}

int sched_getcpu(void) {
    return (int)takt_core_self();
}
