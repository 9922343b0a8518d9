/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime functions of OpenMP 5.2 (chapter 18) that the library has. Functions that it does not
 * have are not declared. Context of all functions: task. None returns an error. */
#ifndef _OMP_H
#define _OMP_H 1

#ifdef __cplusplus
#error "C only"
#endif

/* The sizes of both types are those of libgomp's ABI. */
typedef struct {
    unsigned _word;
} omp_lock_t;

typedef struct {
    omp_lock_t _lock;
    unsigned _count;
    unsigned _owner;
    unsigned _unused;
} omp_nest_lock_t;

/* Returns the calling thread's number in its region, 0 to omp_get_num_threads() - 1. Outside of a
 * region: 0. */
extern int omp_get_thread_num(void);

/* Returns the number of threads of the caller's region. Outside of a region: 1. */
extern int omp_get_num_threads(void);

/* The first returns the number of threads of the task's next region without num_threads: by default
 * those of its team, which the third returns. The second changes the number; more than the team's
 * counts as the team's. */
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int threads);
extern int omp_get_thread_limit(void);

/* Returns the number of cores of the system. */
extern int omp_get_num_procs(void);

/* Returns 1 if a region around the caller has more than one thread, else 0. */
extern int omp_in_parallel(void);

/* Returns the number of regions around the caller, including those with one thread. */
extern int omp_get_level(void);

/* The number of threads is never adjusted: the first does nothing, the second returns 0. */
extern void omp_set_dynamic(int dynamic);
extern int omp_get_dynamic(void);

/* Returns the time since the system's epoch in seconds. */
extern double omp_get_wtime(void);

/* Locks. Waiting threads get a lock in FIFO order. The thread that has set a lock unsets it.
 * omp_test_lock sets the lock and returns 1 if the lock is free, else returns 0. */
extern void omp_init_lock(omp_lock_t *lock);
extern void omp_destroy_lock(omp_lock_t *lock);
extern void omp_set_lock(omp_lock_t *lock);
extern void omp_unset_lock(omp_lock_t *lock);
extern int omp_test_lock(omp_lock_t *lock);

/* Nestable locks: the holder may set the lock again, and unsets it as often. omp_test_nest_lock
 * returns how often the caller holds the lock then, or 0 if another thread holds it. */
extern void omp_init_nest_lock(omp_nest_lock_t *lock);
extern void omp_destroy_nest_lock(omp_nest_lock_t *lock);
extern void omp_set_nest_lock(omp_nest_lock_t *lock);
extern void omp_unset_nest_lock(omp_nest_lock_t *lock);
extern int omp_test_nest_lock(omp_nest_lock_t *lock);

#endif
