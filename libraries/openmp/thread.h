/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of OpenMP and its team. docs/design/forkjoin.md says why the shared data are consistent.
 */
#ifndef LIBRARIES_OPENMP_THREAD_H
#define LIBRARIES_OPENMP_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/takt.h>

#include "parmgr.h"

/* The size of a cache line: data that different threads write lie in different lines. */
#define LINE 64

/* Stores as the memory model wants them: GCC up to 13 makes an exchange of __atomic_store_n, for
 * which a line may have to go to its home. */
#define store_relaxed(pointer, value)                                                              \
    do {                                                                                           \
        *(volatile __typeof__(*(pointer)) *)(pointer) = (value);                                   \
    } while (0)

#define store_release(pointer, value)                                                              \
    do {                                                                                           \
        __atomic_thread_fence(__ATOMIC_RELEASE);                                                   \
        store_relaxed(pointer, value);                                                             \
    } while (0)

/* The number of threads, or of groups, that have arrived. Each arrival adds 1; the last one sets it
 * to 0. */
struct count {
    uint32_t arrived;
} __attribute__((aligned(LINE)));

/* The counters from which the threads of a region take work, atomically. */
struct shares {
    uint64_t loop;   /* the latest loop and its next chunk: see loop.c */
    uint32_t single; /* the number of single constructs that a thread has taken */
};

/* The data that a team's threads share. */
struct team {
    /* The fork. Only the master writes it, and not between the store of the word and the join. */
    struct {
        uint64_t word; /* region << 32 | threads; stored with release, loaded with acquire */
        void (*function)(void *);
        void *data;
        uint32_t singles, loops; /* the numbers of both that the team has finished */
    } fork __attribute__((aligned(LINE)));
    /* The number of the latest barrier or join at which all threads have arrived. The last one to
     * arrive stores it with release; the waiting threads load it with acquire. */
    uint32_t passed __attribute__((aligned(LINE)));
    struct count root;
    struct shares shares __attribute__((aligned(LINE)));
    /* The values of a single with copyprivate. A barrier separates the write from the reads, and
     * the reads from the next write. */
    void *copied __attribute__((aligned(LINE)));
};

/* The loop that a thread executes. */
struct loop {
    uint32_t number;       /* the number of loops that the thread has begun in its team */
    bool guided, kept;     /* kept: the thread has taken a chunk of a later loop: */
    uint64_t kept_word;    /* that loop and chunk, as in shares.loop */
    uint64_t start, step;  /* the iterator's; its arithmetic wraps around */
    uint64_t count, chunk; /* iterations of the loop; of a chunk (guided: at least) */
    uint64_t at, before;   /* guided: `before` iterations precede the chunk `at` */
};

/* The state of the calling task as a thread. No other task reads or writes it. */
struct thread {
    uint32_t number, threads;          /* its number in the region, and the region's threads */
    uint32_t level;                    /* the number of regions around the caller */
    uint32_t wanted;                   /* threads of the next region; 0: the team's */
    uint32_t arrivals;                 /* the number of the team's latest barrier or join */
    uint32_t singles;                  /* the single constructs that the thread has met */
    struct shares *shares;             /* the region's; NULL: `own` */
    struct team *team;                 /* NULL: none, or not looked up yet; so the next three */
    const struct parmgr_place *places; /* those of the team's threads */
    const struct parmgr_place *place;  /* the thread's own */
    struct count *groups;              /* the team's */
    uint32_t most;                     /* the team's threads; 1: no team */
    bool looked;                       /* the team was looked up */
    bool active;                       /* a region around the caller has several threads */
    takt_time job;                     /* the release of the job that began the innermost region */
    struct loop loop;
    struct shares own; /* used by regions with one thread */
};

extern _Thread_local struct thread takt_openmp_thread;

static inline struct thread *thread_self(void) {
    return &takt_openmp_thread;
}

/* Looks up the team that the calling task forks into. Called once for each task. */
void thread_look(struct thread *self);

/* Arrives at the end of a region. In the master, returns when all threads have arrived. */
void team_join(struct thread *self);

/* Arrives at a barrier, and returns when all threads of the region have arrived. */
void team_barrier(struct thread *self);

/* Begins the next loop of the calling thread. Bound: it tries as often as the region has threads.
 */
void loop_begin(struct thread *self, uint64_t start, uint64_t step, uint64_t count, uint64_t chunk,
                bool guided);

/* Takes the next iterations, from *from up to but not including *to. False: none are left. */
bool loop_take(struct thread *self, uint64_t *from, uint64_t *to);

/* Sets, tries to set, and unsets a lock: a word that is 0 while the lock is free. Context: task. */
void lock_set(uint32_t *word);
bool lock_test(uint32_t *word);
void lock_unset(uint32_t *word);

#endif
