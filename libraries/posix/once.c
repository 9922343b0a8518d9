/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "waiting.h"

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

/* If the thread is cancelled in the routine, it is as if there had been no call. */
int pthread_once(pthread_once_t *once, void (*routine)(void)) {
    /* Pairs with the store below: a thread that reads 1 sees the effects of the routine. */
    if (__atomic_load_n(&once->done, __ATOMIC_ACQUIRE)) {
        return 0;
    }
    pthread_mutex_lock(&once->mutex);
    pthread_cleanup_push(unlock, &once->mutex);
    if (!once->done) {
        routine();
        store_release(&once->done, 1);
    }
    pthread_cleanup_pop(1);
    return 0;
}
