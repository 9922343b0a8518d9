/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX semaphores without a name (IEEE Std 1003.1-2017). There are none with a name: sem_open,
 * sem_close and sem_unlink are neither declared nor linked. The waiting threads are served in FIFO
 * order. Each call takes a constant number of steps beside the wait.
 * Context: task, with the CPU unlocked. Errors are in errno. */
#ifndef LIBRARIES_SEMAPHORE_H
#define LIBRARIES_SEMAPHORE_H

#include <takt_posix_queue.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SEM_VALUE_MAX 0x7fffffff

typedef struct {
    uint32_t word; /* the value, and a bit: only the guard's holder may change the word */
    struct takt_posix_queue queue;
} sem_t;

/* `shared` is ignored, because there is only one process. */
int sem_init(sem_t *semaphore, int shared, unsigned value);
int sem_destroy(sem_t *semaphore);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);
int sem_timedwait(sem_t *__restrict semaphore, const struct timespec *__restrict until);
int sem_clockwait(sem_t *__restrict semaphore, clockid_t clock,
                  const struct timespec *__restrict until);
int sem_post(sem_t *semaphore);
int sem_getvalue(sem_t *__restrict semaphore, int *__restrict value);

#ifdef __cplusplus
}
#endif

#endif
