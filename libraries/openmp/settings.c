/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of omp.h that read or change settings. */
#include <omp.h>

#include <takt/takt.h>

#include "thread.h"

int omp_get_thread_num(void) {
    return (int)thread_self()->number;
}

int omp_get_num_threads(void) {
    return (int)thread_self()->threads;
}

static struct thread *thread_looked(void) {
    struct thread *self = thread_self();
    if (!self->looked) {
        thread_look(self);
    }
    return self;
}

int omp_get_max_threads(void) {
    const struct thread *self = thread_looked();
    return (int)(self->wanted ? self->wanted : self->most);
}

int omp_get_thread_limit(void) {
    return (int)thread_looked()->most;
}

void omp_set_num_threads(int threads) {
    struct thread *self = thread_looked();
    uint32_t wanted = threads > 0 ? (uint32_t)threads : 1;
    self->wanted = wanted < self->most ? wanted : self->most;
}

int omp_get_num_procs(void) {
    return (int)takt_cores_used();
}

int omp_in_parallel(void) {
    return thread_self()->active;
}

int omp_get_level(void) {
    return (int)thread_self()->level;
}

void omp_set_dynamic(int dynamic) {
}

int omp_get_dynamic(void) {
    return 0;
}

double omp_get_wtime(void) {
    return (double)takt_time_now() * 1e-9;
}
