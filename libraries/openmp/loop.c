/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose iterations are assigned at run time, and sections, which are a loop over their
 * numbers.
 *
 * shares.loop holds the number of the latest loop that a thread has begun, and the next chunk of
 * that loop. A thread takes a chunk by adding 1. If the word names a later loop than the thread's,
 * the thread's loop has no chunk left, because a thread begins the next loop only then; the thread
 * keeps the chunk until it begins that later loop. */
#include <omp.h>

#include "gomp.h"
#include "thread.h"

enum { CHUNK_BITS = 40 }; /* the other 24 bits are the loop's number, which wraps around */
#define CHUNK_MASK ((1ull << CHUNK_BITS) - 1)

static struct shares *shares_of(struct thread *self) {
    return self->shares ? self->shares : &self->own;
}

/* Returns by how many loops the word is ahead of the thread's. Negative: no thread has begun the
 * thread's loop yet. */
static int32_t loops_ahead(const struct thread *self, uint64_t word) {
    uint32_t number = (uint32_t)(word >> CHUNK_BITS);
    return (int32_t)((number - self->numbers.loops) << 8) >> 8;
}

/* Makes the thread's loop the next one of the team, unless another thread has. */
static void loop_share(struct thread *self) {
    uint64_t *shared = &shares_of(self)->loop;
    uint64_t fresh = (uint64_t)++self->numbers.loops << CHUNK_BITS;
    if (self->threads == 1) {
        *shared = fresh;
        return;
    }
    uint64_t word = __atomic_load_n(shared, __ATOMIC_RELAXED);
    /* An exchange fails if another thread has begun the loop, or has taken a chunk beyond the end
     * of the loop before, which each thread does once. */
    while (loops_ahead(self, word) < 0 &&
           !__atomic_compare_exchange_n(shared, &word, fresh, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
}

void loop_begin(struct thread *self, uint32_t schedule, bool ordered, uint64_t start, uint64_t step,
                uint64_t count, uint64_t chunk) {
    struct loop *loop = &self->loop;
    bool one_block = schedule == omp_sched_auto || (schedule == omp_sched_static && chunk == 0);
    loop->schedule = schedule == omp_sched_auto ? omp_sched_static : schedule;
    loop->ordered = ordered && self->threads > 1;
    loop->turns = false;
    loop->start = start;
    loop->step = step;
    loop->count = count;
    loop->chunk = one_block ? 0 : chunk > 0 ? chunk : 1;
    loop->at = 0;
    loop->before = 0;
    if (loop->schedule != omp_sched_static) {
        loop_share(self);
    }
}

/* Takes the next chunk of the thread's loop. False: a thread has begun a later loop, so that none
 * is left. */
static bool take_chunk(struct thread *self, uint64_t *chunk) {
    struct loop *loop = &self->loop;
    if (!loop->kept) {
        loop->kept_word = __atomic_fetch_add(&shares_of(self)->loop, 1, __ATOMIC_RELAXED);
        loop->kept = true;
    }
    if (loops_ahead(self, loop->kept_word) > 0) {
        return false;
    }
    loop->kept = false;
    *chunk = loop->kept_word & CHUNK_MASK;
    return true;
}

/* Returns the size of the guided chunk that begins after `before` iterations: the remaining ones
 * divided by the threads. */
static uint64_t guided_size(const struct thread *self, uint64_t before) {
    const struct loop *loop = &self->loop;
    uint64_t left = loop->count - before, least = loop->chunk;
    uint64_t size = (left + self->threads - 1) / self->threads;
    size = size < least ? least : size;
    return size < left ? size : left;
}

/* Finds where a guided chunk begins, and returns its size. The sizes of all chunks follow from
 * their order; in all its calls, a thread steps once over the chunks of a loop. */
static uint64_t guided_find(struct thread *self, uint64_t chunk, uint64_t *before) {
    struct loop *loop = &self->loop;
    while (loop->at < chunk && loop->before < loop->count) {
        loop->before += guided_size(self, loop->before);
        loop->at++;
    }
    *before = loop->before;
    return guided_size(self, loop->before);
}

/* Finds where a chunk of the loop's size begins, and returns the number of its iterations. */
static uint64_t equal_find(const struct loop *loop, uint64_t chunk, uint64_t *before) {
    uint64_t size = loop->chunk;
    /* Each thread takes at most one chunk beyond the end, so the product does not overflow. */
    *before = chunk <= loop->count / size ? chunk * size : loop->count;
    uint64_t left = loop->count - *before;
    return size < left ? size : left;
}

/* Takes the thread's next chunk of a static loop. As the compiler's code does where it knows the
 * schedule: chunks go round, or each thread has one block, of which the first may be larger by 1.
 */
static uint64_t static_find(struct thread *self, uint64_t *chunk, uint64_t *before) {
    struct loop *loop = &self->loop;
    uint64_t number = self->number, turn = loop->at++;
    *chunk = number + turn * self->threads;
    if (loop->chunk > 0) {
        return equal_find(loop, *chunk, before);
    }
    uint64_t size = loop->count / self->threads, larger = loop->count % self->threads;
    *before = number * size + (number < larger ? number : larger);
    return turn > 0 ? 0 : size + (number < larger);
}

uint64_t loop_chunks(struct thread *self) {
    struct loop *loop = &self->loop;
    uint64_t before;
    if (loop->schedule == omp_sched_guided) {
        guided_find(self, loop->count, &before);
        return loop->at;
    }
    if (loop->chunk == 0) {
        return loop->count < self->threads ? loop->count : self->threads;
    }
    return loop->count / loop->chunk + (loop->count % loop->chunk > 0);
}

/* Returns the size of the thread's next chunk, and where it begins. 0: none is left. */
static uint64_t find(struct thread *self, uint64_t *chunk, uint64_t *before) {
    if (self->loop.schedule == omp_sched_static) {
        return static_find(self, chunk, before);
    }
    if (!take_chunk(self, chunk)) {
        return 0;
    }
    return self->loop.schedule == omp_sched_guided ? guided_find(self, *chunk, before)
                                                   : equal_find(&self->loop, *chunk, before);
}

bool loop_take(struct thread *self, uint64_t *from, uint64_t *to) {
    struct loop *loop = &self->loop;
    if (loop->turns) {
        ordered_pass(self);
    }
    uint64_t chunk = 0, before = 0, size = find(self, &chunk, &before);
    if (loop->ordered) {
        loop->turns = size > 0;
        loop->turn = self->numbers.ordered + (uint32_t)chunk;
        self->numbers.ordered += size > 0 ? 0 : (uint32_t)loop_chunks(self);
    }
    *from = loop->start + before * loop->step;
    *to = *from + size * loop->step;
    return size > 0;
}
