/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of omp.h about regions, their threads and the settings of the next ones. */
#include <omp.h>
#include <stdio.h>

#include <takt/takt.h>

#include "thread.h"

int omp_get_thread_num(void) {
    return (int)thread_self()->number;
}

int omp_get_num_threads(void) {
    return (int)thread_self()->threads;
}

int omp_get_max_threads(void) {
    const struct thread *self = thread_looked();
    return (int)thread_count(self, self->settings.threads);
}

int omp_get_thread_limit(void) {
    return TAKT_OPENMP_THREADS > 0 ? TAKT_OPENMP_THREADS : 1;
}

void omp_set_num_threads(int threads) {
    thread_self()->settings.threads = threads > 0 ? (uint32_t)threads : 1;
}

int omp_get_num_procs(void) {
    return (int)takt_cores_used();
}

int omp_in_parallel(void) {
    return thread_self()->active > 0;
}

int omp_get_level(void) {
    return thread_self()->level;
}

int omp_get_active_level(void) {
    return thread_self()->active;
}

/* Returns the thread at a level around the caller, or the caller. NULL: there is no such level.
 * Bound: the caller's level. */
static const struct thread *thread_at(int level) {
    const struct thread *thread = thread_self();
    if (level < 0 || level > thread->level) {
        return 0;
    }
    while (thread->level > level) {
        thread = thread->around;
    }
    return thread;
}

int omp_get_ancestor_thread_num(int level) {
    const struct thread *thread = thread_at(level);
    return thread ? (int)thread->number : -1;
}

int omp_get_team_size(int level) {
    const struct thread *thread = thread_at(level);
    return thread ? (int)thread->threads : -1;
}

void omp_set_dynamic(int dynamic) {
    thread_self()->settings.dynamic = dynamic != 0;
}

int omp_get_dynamic(void) {
    return thread_self()->settings.dynamic;
}

void omp_set_max_active_levels(int levels) {
    if (levels >= 0) {
        bool fewer = levels < TAKT_OPENMP_LEVELS;
        thread_self()->settings.max_levels = fewer ? (uint8_t)levels : TAKT_OPENMP_LEVELS;
    }
}

int omp_get_max_active_levels(void) {
    return thread_self()->settings.max_levels;
}

int omp_get_supported_active_levels(void) {
    return TAKT_OPENMP_LEVELS;
}

void omp_set_nested(int nested) {
    omp_set_max_active_levels(nested ? TAKT_OPENMP_LEVELS : 1);
}

int omp_get_nested(void) {
    return omp_get_max_active_levels() > 1;
}

void omp_set_schedule(omp_sched_t kind, int chunk) {
    struct settings *settings = &thread_self()->settings;
    uint32_t schedule = (uint32_t)kind & ~(uint32_t)omp_sched_monotonic;
    if (schedule < omp_sched_static || schedule > omp_sched_auto) {
        return;
    }
    bool counts = schedule == omp_sched_dynamic || schedule == omp_sched_guided;
    settings->schedule = (uint8_t)schedule;
    settings->monotonic = (uint32_t)kind != schedule;
    settings->chunk = chunk > 0 && schedule != omp_sched_auto ? chunk : counts;
}

void omp_get_schedule(omp_sched_t *kind, int *chunk) {
    const struct settings *settings = &thread_self()->settings;
    uint32_t modifier = settings->monotonic ? (uint32_t)omp_sched_monotonic : 0;
    *kind = (omp_sched_t)(settings->schedule | modifier);
    *chunk = settings->chunk;
}

double omp_get_wtime(void) {
    return (double)takt_time_now() * 1e-9;
}

double omp_get_wtick(void) {
    return TAKT_OPENMP_TICK_NS * 1e-9;
}

void omp_display_env(int verbose) {
    static const char *const schedules[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    const struct thread *self = thread_looked();
    const struct settings *settings = &self->settings;
    printf("OPENMP DISPLAY ENVIRONMENT BEGIN\n"
           "  _OPENMP = '201511'\n"
           "  OMP_DYNAMIC = '%s'\n"
           "  OMP_NUM_THREADS = '%d'\n"
           "  OMP_SCHEDULE = '%s%s,%d'\n"
           "  OMP_PROC_BIND = 'TRUE'\n"
           "  OMP_MAX_ACTIVE_LEVELS = '%d'\n"
           "  OMP_THREAD_LIMIT = '%d'\n"
           "OPENMP DISPLAY ENVIRONMENT END\n",
           settings->dynamic ? "TRUE" : "FALSE", omp_get_max_threads(),
           settings->monotonic ? "MONOTONIC:" : "", schedules[settings->schedule],
           (int)settings->chunk, settings->max_levels, omp_get_thread_limit());
}
