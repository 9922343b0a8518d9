/* SPDX-License-Identifier: Apache-2.0 */
/* Times: what picolibc's <time.h> declares, and C11's timespec_get. */
#ifndef LIBRARIES_TIME_H
#define LIBRARIES_TIME_H

#include_next <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TIME_UTC 1

/* The units of clock, as POSIX asks, and of times. */
#undef CLOCKS_PER_SEC
#undef CLK_TCK
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLK_TCK        CLOCKS_PER_SEC

/* Gives CLOCK_REALTIME and returns `base`, which is TIME_UTC; otherwise returns 0. */
int timespec_get(struct timespec *time, int base);

#ifdef __cplusplus
}
#endif

#endif
