/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose iterations are assigned at run time, and sections, which are a loop over their
 * numbers.
 *
 * shares.loop holds the number of the latest loop that a thread has begun, and the next chunk of
 * that loop. A thread takes a chunk by adding 1. If the word names a later loop than the thread's,
 * the thread's loop has no chunk left, because a thread begins the next loop only then; the thread
 * keeps the chunk until it begins that later loop. */
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
    return (int32_t)((number - self->loop.number) << 8) >> 8;
}

void loop_begin(struct thread *self, uint64_t start, uint64_t step, uint64_t count, uint64_t chunk,
                bool guided) {
    struct loop *loop = &self->loop;
    loop->guided = guided;
    loop->start = start;
    loop->step = step;
    loop->count = count;
    loop->chunk = chunk > 0 ? chunk : 1;
    loop->at = 0;
    loop->before = 0;
    uint64_t *shared = &shares_of(self)->loop;
    if (self->threads == 1) {
        *shared = (uint64_t)loop->number << CHUNK_BITS;
        return;
    }
    loop->number++;
    uint64_t fresh = (uint64_t)loop->number << CHUNK_BITS;
    uint64_t word = __atomic_load_n(shared, __ATOMIC_RELAXED);
    /* An exchange fails if another thread has begun the loop, or has taken a chunk beyond the end
     * of the loop before, which each thread does once. */
    while (loops_ahead(self, word) < 0 &&
           !__atomic_compare_exchange_n(shared, &word, fresh, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
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

static uint64_t dynamic_find(const struct thread *self, uint64_t chunk, uint64_t *before) {
    const struct loop *loop = &self->loop;
    uint64_t size = loop->chunk;
    /* Each thread takes at most one chunk beyond the end, so the product does not overflow. */
    *before = chunk <= loop->count / size ? chunk * size : loop->count;
    uint64_t left = loop->count - *before;
    return size < left ? size : left;
}

bool loop_take(struct thread *self, uint64_t *from, uint64_t *to) {
    const struct loop *loop = &self->loop;
    uint64_t chunk, before;
    if (!take_chunk(self, &chunk)) {
        return false;
    }
    uint64_t size =
        loop->guided ? guided_find(self, chunk, &before) : dynamic_find(self, chunk, &before);
    *from = loop->start + before * loop->step;
    *to = *from + size * loop->step;
    return size > 0;
}

/* Returns the number of iterations. The step of a loop that goes down is negative. */
static uint64_t iterations(bool up, bool any, uint64_t start, uint64_t end, uint64_t step) {
    uint64_t distance = up ? end - start : start - end;
    return any ? (distance - 1) / (up ? step : -step) + 1 : 0;
}

static void begin_signed(long start, long end, long step, long chunk, bool guided) {
    bool up = step > 0, any = up ? start < end : start > end;
    uint64_t from = (uint64_t)start, by = (uint64_t)step;
    uint64_t count = iterations(up, any, from, (uint64_t)end, by);
    loop_begin(thread_self(), from, by, count, chunk > 0 ? (uint64_t)chunk : 1, guided);
}

bool GOMP_loop_dynamic_next(long *from, long *to) {
    return loop_take(thread_self(), (uint64_t *)from, (uint64_t *)to);
}

bool GOMP_loop_dynamic_start(long start, long end, long step, long chunk, long *from, long *to) {
    begin_signed(start, end, step, chunk, false);
    return GOMP_loop_dynamic_next(from, to);
}

bool GOMP_loop_guided_start(long start, long end, long step, long chunk, long *from, long *to) {
    begin_signed(start, end, step, chunk, true);
    return GOMP_loop_dynamic_next(from, to);
}

static void begin_unsigned(bool up, ulong start, ulong end, ulong step, ulong chunk, bool guided) {
    uint64_t count = iterations(up, up ? start < end : start > end, start, end, step);
    loop_begin(thread_self(), start, step, count, chunk, guided);
}

bool GOMP_loop_ull_dynamic_next(ulong *from, ulong *to) {
    return loop_take(thread_self(), from, to);
}

bool GOMP_loop_ull_dynamic_start(bool up, ulong start, ulong end, ulong step, ulong chunk,
                                 ulong *from, ulong *to) {
    begin_unsigned(up, start, end, step, chunk, false);
    return loop_take(thread_self(), from, to);
}

bool GOMP_loop_ull_guided_start(bool up, ulong start, ulong end, ulong step, ulong chunk,
                                ulong *from, ulong *to) {
    begin_unsigned(up, start, end, step, chunk, true);
    return loop_take(thread_self(), from, to);
}

void GOMP_loop_end(void) {
    team_barrier(thread_self());
}

void GOMP_loop_end_nowait(void) {
}

/* A region that consists of one loop. Each thread begins the loop before it calls the function. */
struct region {
    void (*function)(void *);
    void *data;
    long start, end, step, chunk;
    bool guided;
};

static void run_region(void *argument) {
    const struct region *region = argument;
    begin_signed(region->start, region->end, region->step, region->chunk, region->guided);
    region->function(region->data);
}

void GOMP_parallel_loop_dynamic(void (*function)(void *), void *data, unsigned threads, long start,
                                long end, long step, long chunk, unsigned flags) {
    struct region region = {function, data, start, end, step, chunk, false};
    GOMP_parallel(run_region, &region, threads, flags);
}

void GOMP_parallel_loop_guided(void (*function)(void *), void *data, unsigned threads, long start,
                               long end, long step, long chunk, unsigned flags) {
    struct region region = {function, data, start, end, step, chunk, true};
    GOMP_parallel(run_region, &region, threads, flags);
}

unsigned GOMP_sections_start(unsigned count) {
    loop_begin(thread_self(), 1, 1, count, 1, false);
    return GOMP_sections_next();
}

unsigned GOMP_sections_next(void) {
    uint64_t section, end;
    return loop_take(thread_self(), &section, &end) ? (unsigned)section : 0;
}

void GOMP_parallel_sections(void (*function)(void *), void *data, unsigned threads, unsigned count,
                            unsigned flags) {
    GOMP_parallel_loop_dynamic(function, data, threads, 1, (long)count + 1, 1, 1, flags);
}

/* A thread gets its chunks in ascending order in every loop, as monotonic loops ask. */
#define SAME(name, as) extern __typeof__(as) name __attribute__((alias(#as)))
SAME(GOMP_loop_guided_next, GOMP_loop_dynamic_next);
SAME(GOMP_loop_ull_guided_next, GOMP_loop_ull_dynamic_next);
SAME(GOMP_loop_ull_nonmonotonic_dynamic_start, GOMP_loop_ull_dynamic_start);
SAME(GOMP_loop_ull_nonmonotonic_dynamic_next, GOMP_loop_ull_dynamic_next);
SAME(GOMP_loop_ull_nonmonotonic_guided_start, GOMP_loop_ull_guided_start);
SAME(GOMP_loop_ull_nonmonotonic_guided_next, GOMP_loop_ull_dynamic_next);
SAME(GOMP_loop_nonmonotonic_dynamic_start, GOMP_loop_dynamic_start);
SAME(GOMP_loop_nonmonotonic_dynamic_next, GOMP_loop_dynamic_next);
SAME(GOMP_loop_nonmonotonic_guided_start, GOMP_loop_guided_start);
SAME(GOMP_loop_nonmonotonic_guided_next, GOMP_loop_dynamic_next);
SAME(GOMP_parallel_loop_nonmonotonic_dynamic, GOMP_parallel_loop_dynamic);
SAME(GOMP_parallel_loop_nonmonotonic_guided, GOMP_parallel_loop_guided);
SAME(GOMP_sections_end, GOMP_loop_end);
SAME(GOMP_sections_end_nowait, GOMP_loop_end_nowait);
