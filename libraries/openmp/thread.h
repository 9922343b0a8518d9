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

/* How many constructs of each kind a team's threads have met since the start. All threads of a
 * region meet the same ones. */
struct numbers {
    uint32_t arrivals; /* barriers and joins */
    uint32_t singles, loops;
    uint32_t ordered; /* chunks of the ordered loops: see ordered.c */
};

/* The settings of a thread, which its regions inherit: OpenMP's internal control variables. */
struct settings {
    uint32_t threads;   /* of the next region; 0: the team's */
    int32_t chunk;      /* of schedule(runtime), with the next two; 0: the schedule's default */
    uint8_t schedule;   /* an omp_sched_t without its modifier */
    bool monotonic;     /* the modifier */
    bool dynamic;       /* stored and returned; no region ever has fewer threads because of it */
    uint8_t max_levels; /* of regions with several threads, inside each other */
};

/* The data that a team's threads share. */
struct team {
    /* The fork. Only the master writes it, and not between the store of the word and the join. */
    struct {
        uint64_t word; /* region << 32 | threads; stored with release, loaded with acquire */
        void (*function)(void *);
        void *data;
        const struct thread *around; /* the master outside of the region */
        struct settings settings;
        uint32_t singles, loops, ordered; /* the numbers that the team has finished */
        uint16_t level, active;           /* as in struct thread */
    } fork __attribute__((aligned(LINE)));
    /* The number of the latest barrier or join at which all threads have arrived. The last one to
     * arrive stores it with release; the waiting threads load it with acquire. */
    uint32_t passed __attribute__((aligned(LINE)));
    struct count root;
    struct shares shares __attribute__((aligned(LINE)));
    /* The number of ordered chunks that are finished. The thread that executes the next one stores
     * it with release; the waiting threads load it with acquire. */
    uint32_t turn __attribute__((aligned(LINE)));
    /* The values of a single with copyprivate. A barrier separates the write from the reads, and
     * the reads from the next write. */
    void *copied __attribute__((aligned(LINE)));
    struct numbers numbers __attribute__((aligned(LINE))); /* the master's, between regions */
};

/* The loop that a thread executes. */
struct loop {
    uint8_t schedule;      /* omp_sched_static, omp_sched_dynamic or omp_sched_guided */
    bool kept;             /* the thread has taken a chunk of a later loop: */
    bool ordered, turns;   /* the loop is ordered; the thread has a chunk that waits for its turn */
    uint32_t turn;         /* that chunk's */
    uint64_t kept_word;    /* that loop and chunk, as in shares.loop */
    uint64_t start, step;  /* the iterator's; its arithmetic wraps around */
    uint64_t count, chunk; /* iterations of the loop; of a chunk (guided: at least; 0: one block) */
    uint64_t at, before; /* guided: `before` iterations precede the chunk `at`; static: `at` chunks
                            are done */
};

/* The state of the calling task as a thread. No other task writes it. */
struct thread {
    uint32_t number, threads; /* its number in the region, and the region's threads */
    uint16_t level, active;   /* the number of regions around the caller; with several threads */
    struct settings settings;
    struct numbers numbers;            /* of the team in which the region runs */
    const struct thread *around;       /* the region's master outside of it; NULL: level 0 */
    struct shares *shares;             /* the region's; NULL: `own` */
    const struct parmgr_team *forks;   /* the team of the next region; NULL: none */
    struct team *team;                 /* the team of the innermost active region, and so on: */
    const struct parmgr_place *places; /* its threads' */
    const struct parmgr_place *place;  /* the thread's own */
    struct count *groups;              /* its groups' */
    bool blocks;                       /* one of its threads blocks */
    bool looked;                       /* the teams were looked up */
    bool worker;                       /* the task is a worker of some team */
    takt_time job;                     /* the release of the job that began the outermost region */
    struct loop loop;
    struct shares own; /* used by regions with one thread */
};

extern _Thread_local struct thread takt_openmp_thread;

static inline struct thread *thread_self(void) {
    return &takt_openmp_thread;
}

/* Returns the state of the calling task. Looks up at the first call into which team it forks. */
struct thread *thread_looked(void);

/* Returns how many threads the next region has if it asks for none, or for so many. */
uint32_t thread_count(const struct thread *self, uint32_t asked);

/* Arrives at the end of a region. In the master, returns when all threads have arrived. */
void team_join(struct thread *self);

/* Arrives at a barrier, and returns when all threads of the region have arrived. */
void team_barrier(struct thread *self);

/* Begins the next loop of the calling thread. Bound: it tries as often as the region has threads.
 */
void loop_begin(struct thread *self, uint32_t schedule, bool ordered, uint64_t start, uint64_t step,
                uint64_t count, uint64_t chunk);

/* Takes the next iterations, from *from up to but not including *to. False: none are left. */
bool loop_take(struct thread *self, uint64_t *from, uint64_t *to);

/* Returns the number of chunks of the thread's loop. Bound: a guided loop's chunks. */
uint64_t loop_chunks(struct thread *self);

/* Passes the turn from the chunk of an ordered loop that the thread has finished to the next chunk.
 * Waits until the chunks before it are finished. */
void ordered_pass(struct thread *self);

/* Sets, tries to set, and unsets a lock: a word that is 0 while the lock is free. Context: task. */
void lock_set(uint32_t *word);
bool lock_test(uint32_t *word);
void lock_unset(uint32_t *word);

#endif
