/* SPDX-License-Identifier: Apache-2.0 */
/* A task of the description with a deadline uses the library, besides threads. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned both, jobs; /* guarded by the mutex */

static void use(volatile unsigned *own) {
    void *volatile block = malloc(100);
    CHECK(block != 0);
    CHECK_IS(pthread_mutex_lock(&mutex), 0);
    unsigned value = both;
    *own = *own + 1;
    nanosleep(&(struct timespec){.tv_nsec = 100000}, 0);
    both = value + 1;
    CHECK_IS(pthread_mutex_unlock(&mutex), 0);
    free(block);
}

void use_library(intptr_t argument) {
    (void)argument;
    use(&jobs);
}

int main(void) {
    unsigned own = 0;
    while (own < 100) {
        use(&own);
    }
    pthread_mutex_lock(&mutex);
    CHECK(jobs > 0);
    CHECK_IS(both, own + jobs);
    check_end();
}
