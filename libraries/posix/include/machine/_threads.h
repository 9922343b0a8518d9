/* SPDX-License-Identifier: Apache-2.0 */
/* The types of C11's <threads.h>, which picolibc declares the functions of: those of POSIX. */
#ifndef LIBRARIES_MACHINE_THREADS_H
#define LIBRARIES_MACHINE_THREADS_H

#include <pthread.h>

typedef pthread_cond_t cnd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_t thrd_t;
typedef pthread_key_t tss_t;
typedef pthread_once_t once_flag;

#define ONCE_FLAG_INIT      PTHREAD_ONCE_INIT
#define TSS_DTOR_ITERATIONS PTHREAD_DESTRUCTOR_ITERATIONS
#define NEWLIB_THREAD_LOCAL _Thread_local

#endif
