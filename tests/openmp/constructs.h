/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the test of OpenMP's constructs. Each takes the team's number of threads. */
#ifndef TESTS_OPENMP_CONSTRUCTS_H
#define TESTS_OPENMP_CONSTRUCTS_H

#include <stdbool.h>

/* Checks in any of the test's files are counted here. */
void note(bool holds, const char *what, const char *file, int line);

#define HOLDS(condition) note(condition, #condition, __FILE__, __LINE__)

/* Executes for another time on each thread and in each round. */
void dawdle(int round);

/* schedule(runtime), the order of chunks, ordered loops: schedules.c. */
void schedules(int size);

/* The functions of omp.h: interface.c. */
void interface(int size);

/* Operations on small and large values: small.c. */
void small(int size);

#endif
