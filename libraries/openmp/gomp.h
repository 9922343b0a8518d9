/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that GCC calls for the pragmas. Names and arguments are those of libgomp's ABI. The
 * flags of a region ask for a placement (proc_bind); they are ignored, because the description has
 * placed each team. */
#ifndef LIBRARIES_OPENMP_GOMP_H
#define LIBRARIES_OPENMP_GOMP_H

#include <stdbool.h>

/* Calls function(data) on `threads` threads, including the caller (0: as many as the settings say),
 * and returns when all calls have returned. */
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);

void GOMP_barrier(void);

/* Returns true on the one thread that executes the construct. */
bool GOMP_single_start(void);
/* The first returns NULL on the thread that executes the construct. That thread passes the address
 * of its values to the second; on the other threads the first returns this address. */
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);

void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

/* These give the next iterations, from *from up to but not including *to. False: none are left.
 * Those for unsigned iterators are told by `up` whether the iterator grows. loop_entry.c defines
 * them for the other schedules, too. */
typedef unsigned long ulong;
bool GOMP_loop_dynamic_next(long *from, long *to);
bool GOMP_loop_ull_dynamic_next(ulong *from, ulong *to);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);

/* The first returns when the iterations before the caller's are through their ordered regions. */
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);

/* A region that is one loop. */
void GOMP_parallel_loop_dynamic(void (*function)(void *), void *data, unsigned threads, long start,
                                long end, long step, long chunk, unsigned flags);
void GOMP_parallel_loop_guided(void (*function)(void *), void *data, unsigned threads, long start,
                               long end, long step, long chunk, unsigned flags);
void GOMP_parallel_loop_runtime(void (*function)(void *), void *data, unsigned threads, long start,
                                long end, long step, unsigned flags);

/* Returns the number of the section to execute, from 1. 0: none is left. */
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
void GOMP_parallel_sections(void (*function)(void *), void *data, unsigned threads, unsigned count,
                            unsigned flags);

#endif
