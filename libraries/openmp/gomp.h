/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that GCC calls for the pragmas. Names and arguments are those of libgomp's ABI. The
 * flags of a region ask for a placement (proc_bind); they are ignored, because the description has
 * placed each team. */
#ifndef LIBRARIES_OPENMP_GOMP_H
#define LIBRARIES_OPENMP_GOMP_H

#include <stdbool.h>

/* Calls function(data) on `threads` threads, including the caller (0: on the whole team), and
 * returns when all calls have returned. */
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

/* These give the next iterations, from *from up to but not including *to. False: none are left. */
bool GOMP_loop_dynamic_start(long start, long end, long step, long chunk, long *from, long *to);
bool GOMP_loop_guided_start(long start, long end, long step, long chunk, long *from, long *to);
bool GOMP_loop_dynamic_next(long *from, long *to);
/* The same for unsigned iterators. `up` says whether the iterator grows. */
typedef unsigned long ulong;
bool GOMP_loop_ull_dynamic_start(bool up, ulong start, ulong end, ulong step, ulong chunk,
                                 ulong *from, ulong *to);
bool GOMP_loop_ull_guided_start(bool up, ulong start, ulong end, ulong step, ulong chunk,
                                ulong *from, ulong *to);
bool GOMP_loop_ull_dynamic_next(ulong *from, ulong *to);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
void GOMP_parallel_loop_dynamic(void (*function)(void *), void *data, unsigned threads, long start,
                                long end, long step, long chunk, unsigned flags);
void GOMP_parallel_loop_guided(void (*function)(void *), void *data, unsigned threads, long start,
                               long end, long step, long chunk, unsigned flags);

/* Returns the number of the section to execute, from 1. 0: none is left. */
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
void GOMP_parallel_sections(void (*function)(void *), void *data, unsigned threads, unsigned count,
                            unsigned flags);

#endif
