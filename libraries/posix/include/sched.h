/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling: what picolibc's <sched.h> declares, sets of cores, and the functions of the library.
 *
 * SCHED_FIFO has the priorities 1 to 64; 64 is the highest, and the kernel's priority 1. A thread
 * with SCHED_OTHER has the priority of the description's [posix], and is FIFO, too. */
#ifndef LIBRARIES_SCHED_H
#define LIBRARIES_SCHED_H

#include_next <sched.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set of cores. */
#define CPU_SETSIZE 128
typedef struct {
    uint64_t bits[CPU_SETSIZE / 64];
} cpu_set_t;

static inline void CPU_ZERO(cpu_set_t *set) {
    *set = (cpu_set_t){{0}};
}

static inline void CPU_SET(size_t core, cpu_set_t *set) {
    if (core < CPU_SETSIZE) {
        set->bits[core / 64] |= (uint64_t)1 << core % 64;
    }
}

static inline void CPU_CLR(size_t core, cpu_set_t *set) {
    if (core < CPU_SETSIZE) {
        set->bits[core / 64] &= ~((uint64_t)1 << core % 64);
    }
}

static inline int CPU_ISSET(size_t core, const cpu_set_t *set) {
    return core < CPU_SETSIZE && (set->bits[core / 64] >> core % 64 & 1) != 0;
}

static inline int CPU_COUNT(const cpu_set_t *set) {
    int count = 0;
    for (size_t core = 0; core < CPU_SETSIZE; core++) {
        count += CPU_ISSET(core, set);
    }
    return count;
}

static inline int CPU_EQUAL(const cpu_set_t *one, const cpu_set_t *other) {
    return one->bits[0] == other->bits[0] && one->bits[1] == other->bits[1];
}

int sched_getcpu(void);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);

/* These are about the calling thread: the process is the only one, and named by 0 or getpid.
 * Errors: ESRCH: another process, or a task of the description. EINVAL: as pthread_setschedparam;
 * also for SCHED_RR. */
int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameter);
int sched_getscheduler(pid_t process);
int sched_setparam(pid_t process, const struct sched_param *parameter);
int sched_getparam(pid_t process, struct sched_param *parameter);

/* The process is the only one, and 0: the calling thread. As with pthread_setaffinity_np, a thread
 * does not leave its core: a set without this core is an EINVAL. */
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set);
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set);

#ifdef __cplusplus
}
#endif

#endif
