/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime functions of OpenMP 5.2 (chapter 18) that the library has. Functions that it does not
 * have are not declared: those of target devices, memory allocators, affinity formats, events.
 * Context of all functions: task. None returns an error. */
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

/* The kinds of schedule(runtime). The last one is a modifier, to be added to a kind. */
typedef enum omp_sched_t {
    omp_sched_static = 1,
    omp_sched_dynamic = 2,
    omp_sched_guided = 3,
    omp_sched_auto = 4,
    omp_sched_monotonic = 0x80000000u
} omp_sched_t;

typedef enum omp_proc_bind_t {
    omp_proc_bind_false = 0,
    omp_proc_bind_true = 1,
    omp_proc_bind_primary = 2,
    omp_proc_bind_master = omp_proc_bind_primary,
    omp_proc_bind_close = 3,
    omp_proc_bind_spread = 4
} omp_proc_bind_t;

typedef enum omp_sync_hint_t {
    omp_sync_hint_none = 0,
    omp_lock_hint_none = omp_sync_hint_none,
    omp_sync_hint_uncontended = 1,
    omp_lock_hint_uncontended = omp_sync_hint_uncontended,
    omp_sync_hint_contended = 2,
    omp_lock_hint_contended = omp_sync_hint_contended,
    omp_sync_hint_nonspeculative = 4,
    omp_lock_hint_nonspeculative = omp_sync_hint_nonspeculative,
    omp_sync_hint_speculative = 8,
    omp_lock_hint_speculative = omp_sync_hint_speculative
} omp_sync_hint_t;

typedef omp_sync_hint_t omp_lock_hint_t;

/* Returns the calling thread's number in its region, 0 to omp_get_num_threads() - 1. Outside of a
 * region: 0. */
extern int omp_get_thread_num(void);

/* Returns the number of threads of the caller's region. Outside of a region: 1. */
extern int omp_get_num_threads(void);

/* The first returns the number of threads of the caller's next region without num_threads: those of
 * the team that it forks into, unless the second has set fewer. */
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int threads);

/* Returns the number of threads of all teams. */
extern int omp_get_thread_limit(void);

/* Returns the number of cores of the system. */
extern int omp_get_num_procs(void);

/* Returns 1 if a region around the caller has more than one thread, else 0. */
extern int omp_in_parallel(void);

/* The number of regions around the caller; of those with more than one thread. */
extern int omp_get_level(void);
extern int omp_get_active_level(void);

/* The number of the thread that the caller, or a thread around it, is in the region of that level;
 * that region's number of threads. -1 if the caller is in no region of that level. */
extern int omp_get_ancestor_thread_num(int level);
extern int omp_get_team_size(int level);

/* How many regions with more than one thread may be inside each other, including the outermost one.
 * The third returns how many the description's teams allow; the first sets no more. */
extern void omp_set_max_active_levels(int levels);
extern int omp_get_max_active_levels(void);
extern int omp_get_supported_active_levels(void);
extern void omp_set_nested(int nested);
extern int omp_get_nested(void);

/* The second returns what the first has set. A region never has fewer threads because of it. */
extern void omp_set_dynamic(int dynamic);
extern int omp_get_dynamic(void);

/* The schedule of loops with schedule(runtime). A chunk of 0 or less: the schedule's default. All
 * threads of a region must have the same one. */
extern void omp_set_schedule(omp_sched_t kind, int chunk);
extern void omp_get_schedule(omp_sched_t *kind, int *chunk);

/* The time since the system's epoch, and the time between two ticks of its clock, in seconds. */
extern double omp_get_wtime(void);
extern double omp_get_wtick(void);

/* Prints the caller's settings in the manner of OMP_DISPLAY_ENV. */
extern void omp_display_env(int verbose);

/* Places: each core of the system is one, and its only processor has the place's number. Threads
 * do not move; the second returns the caller's place. */
extern omp_proc_bind_t omp_get_proc_bind(void);
extern int omp_get_place_num(void);
extern int omp_get_num_places(void);
extern int omp_get_place_num_procs(int place);
extern void omp_get_place_proc_ids(int place, int *ids);
extern int omp_get_partition_num_places(void);
extern void omp_get_partition_place_nums(int *places);

/* There is one device, which is the initial one, and one league of one team on it. Nothing can be
 * cancelled. There are no explicit tasks. */
extern int omp_is_initial_device(void);
extern int omp_get_num_devices(void);
extern int omp_get_initial_device(void);
extern int omp_get_device_num(void);
extern int omp_get_num_teams(void);
extern int omp_get_team_num(void);
extern int omp_get_cancellation(void);
extern int omp_get_max_task_priority(void);
extern int omp_in_final(void);

/* Locks. Waiting threads get a lock in FIFO order. The thread that has set a lock unsets it.
 * omp_test_lock sets the lock and returns 1 if the lock is free, else returns 0. Hints change
 * nothing. */
extern void omp_init_lock(omp_lock_t *lock);
extern void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint);
extern void omp_destroy_lock(omp_lock_t *lock);
extern void omp_set_lock(omp_lock_t *lock);
extern void omp_unset_lock(omp_lock_t *lock);
extern int omp_test_lock(omp_lock_t *lock);

/* Nestable locks: the holder may set the lock again, and unsets it as often. omp_test_nest_lock
 * returns how often the caller holds the lock then, or 0 if another thread holds it. */
extern void omp_init_nest_lock(omp_nest_lock_t *lock);
extern void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint);
extern void omp_destroy_nest_lock(omp_nest_lock_t *lock);
extern void omp_set_nest_lock(omp_nest_lock_t *lock);
extern void omp_unset_nest_lock(omp_nest_lock_t *lock);
extern int omp_test_nest_lock(omp_nest_lock_t *lock);

#endif
