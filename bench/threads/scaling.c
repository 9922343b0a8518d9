/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the heap under threads, one a core: calls in a millisecond of all together, the mean and
 * the greatest number of cycles of a call, and at the end the bytes that the program has asked for
 * and not freed, those in blocks, and those held. Arguments: threads, steps of each, pattern, and
 * the number of slots of each thread; `ask`: each call of the heap asks for the task's own ID
 * first, as an allocator does that finds its memory by the thread.
 *
 * own:     a thread frees what is in a random one of its slots, or puts a block of up to 2 KiB
 * there mixed:   the same, of up to 16 KiB passed:  the same of up to 2 KiB, but a thread frees
 * what is in its neighbour's slots larson:  a thread replaces the block in a random slot by one of
 * 16 to 512 bytes, and hands all its slots to the next thread after each quarter of the steps, like
 * the servers of P. Larson and M. Krishnan, "Memory allocation for long-running server
 * applications", ISMM 1998 pairs:   each thread of even number allocates blocks of up to 2 KiB, and
 * the next one frees them */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <heap.h>
#include <takt/task.h>

enum { MOST = 128, SLOTS_MOST = 512, HANDOVERS = 4, QUEUE = 16 };

static unsigned count, steps, slots;
static bool asks; /* each call of the heap asks for the task's own ID first */
static pthread_barrier_t barrier;
static struct own {
    uint64_t calls, cycles, most, nanoseconds;
    uintptr_t low, high; /* the addresses between which all blocks were */
    uint32_t state;
    volatile takt_id task;
    void *slots[SLOTS_MOST];
} __attribute__((aligned(64))) owns[MOST];

static uint64_t cycles(void) {
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
    return value;
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint32_t next_random(struct own *own) {
    own->state = own->state * 1664525u + 1013904223u;
    return own->state >> 8;
}

static void note(struct own *own, uint64_t begin) {
    uint64_t passed = cycles() - begin;
    own->calls++;
    own->cycles += passed;
    own->most = passed > own->most ? passed : own->most;
}

/* A block begins with its size. */
static void *allocate(struct own *own, uint32_t size) {
    size = size < sizeof size ? sizeof size : size;
    uint64_t begin = cycles();
    own->task = asks ? takt_task_self() : 0;
    uint32_t *block = malloc(size);
    note(own, begin);
    if (!block) {
        printf("no memory\n");
        exit(1);
    }
    *block = size;
    uintptr_t at = (uintptr_t)block;
    own->low = own->low == 0 || at < own->low ? at : own->low;
    own->high = at + size > own->high ? at + size : own->high;
    return block;
}

static void release(struct own *own, void *block) {
    if (block) {
        uint64_t begin = cycles();
        own->task = asks ? takt_task_self() : 0;
        free(block);
        note(own, begin);
    }
}

/* Returns a size below 16 << powers: each power of two is as likely as the others. */
static uint32_t size_below(struct own *own, unsigned powers) {
    uint32_t random = next_random(own);
    return (random >> 9) % (16u << random % powers) + 1;
}

/* Frees what is in a slot of `other`, or puts a block into the same slot of `own`. */
static void step(struct own *own, struct own *other, unsigned powers) {
    unsigned slot = next_random(own) % slots;
    void *block = __atomic_exchange_n(&other->slots[slot], 0, __ATOMIC_ACQ_REL);
    if (block) {
        release(own, block);
        return;
    }
    block = allocate(own, size_below(own, powers));
    release(own, __atomic_exchange_n(&own->slots[slot], block, __ATOMIC_ACQ_REL));
}

static void step_own(unsigned index) {
    step(&owns[index], &owns[index], 8);
}

static void step_mixed(unsigned index) {
    step(&owns[index], &owns[index], 11);
}

static void step_passed(unsigned index) {
    step(&owns[index], &owns[(index + 1) % count], 8);
}

/* The threads meet before they hand over; the time of that is not counted. */
static void step_larson(unsigned index) {
    static struct turn { unsigned steps, slots; } __attribute__((aligned(64))) turns[MOST];
    struct turn *turn = &turns[index];
    struct own *own = &owns[index];
    if (turn->steps++ == steps / HANDOVERS) {
        uint64_t begin = nanoseconds();
        pthread_barrier_wait(&barrier);
        own->nanoseconds -= nanoseconds() - begin;
        turn->steps = 1;
        turn->slots++;
    }
    void **slot = &owns[(index + turn->slots) % count].slots[next_random(own) % slots];
    release(own, *slot);
    *slot = allocate(own, 16 + next_random(own) % 497);
}

/* The slots of the even thread are a queue: NULL is free. */
static void step_pairs(unsigned index) {
    static struct place { unsigned at; } __attribute__((aligned(64))) places[MOST];
    struct own *own = &owns[index];
    void **slot = &owns[index & ~1u].slots[places[index].at++ % QUEUE];
    void *block = index % 2 == 0 ? allocate(own, size_below(own, 8)) : 0;
    while ((__atomic_load_n(slot, __ATOMIC_ACQUIRE) != 0) != (index % 2 != 0)) {
        /* The other thread of the pair has a step to do. */
    }
    if (block) {
        __atomic_store_n(slot, block, __ATOMIC_RELEASE);
    } else {
        block = __atomic_exchange_n(slot, 0, __ATOMIC_ACQ_REL);
        release(own, block);
    }
}

static const struct pattern {
    const char *name;
    void (*step)(unsigned index);
} patterns[] = {{"own", step_own},
                {"mixed", step_mixed},
                {"passed", step_passed},
                {"larson", step_larson},
                {"pairs", step_pairs}};
static const struct pattern *pattern;

static void *work(void *number) {
    unsigned index = (unsigned)(uintptr_t)number;
    struct own *own = &owns[index];
    own->state = index * 7919u + 1;
    for (unsigned round = 0; round < 2 * slots; round++) {
        pattern->step(index); /* caches and arenas are warm then */
    }
    own->calls = own->cycles = own->most = own->nanoseconds = 0;
    pthread_barrier_wait(&barrier);
    uint64_t begin = nanoseconds();
    for (unsigned round = 0; round < steps; round++) {
        pattern->step(index);
    }
    own->nanoseconds += nanoseconds() - begin;
    return 0;
}

static const struct pattern *pattern_named(const char *name) {
    for (unsigned index = 0; index < sizeof patterns / sizeof *patterns; index++) {
        if (strcmp(patterns[index].name, name) == 0) {
            return &patterns[index];
        }
    }
    printf("no pattern %s\n", name);
    exit(2);
}

static uint64_t asked(const struct own *own) {
    uint64_t bytes = 0;
    for (unsigned slot = 0; slot < slots; slot++) {
        bytes += own->slots[slot] ? *(const uint32_t *)own->slots[slot] : 0;
    }
    return bytes;
}

static void report(void) {
    struct own all = {0};
    uint64_t bytes = 0;
    for (unsigned number = 0; number < count; number++) {
        all.calls += owns[number].calls;
        all.cycles += owns[number].cycles;
        all.nanoseconds += owns[number].nanoseconds;
        all.most = owns[number].most > all.most ? owns[number].most : all.most;
        bytes += asked(&owns[number]);
        if (owns[number].low != 0 && (all.low == 0 || owns[number].low < all.low)) {
            all.low = owns[number].low;
        }
        all.high = owns[number].high > all.high ? owns[number].high : all.high;
    }
    printf("heap scaling: %s, %u threads: %.0f calls/ms, mean %lu, most %lu cycles, asked %lu, "
           "used %lu, held %lu, span %lu\n",
           pattern->name, count, (double)all.calls * count * 1e6 / (double)all.nanoseconds,
           (unsigned long)(all.cycles / all.calls), (unsigned long)all.most, (unsigned long)bytes,
           (unsigned long)heap_used(), (unsigned long)heap_held(),
           (unsigned long)(all.high - all.low));
}

int main(int argc, char **argv) {
    if (argc != 5 && argc != 6) {
        printf("scaling THREADS STEPS PATTERN SLOTS [ask]\n");
        return 2;
    }
    count = (unsigned)atoi(argv[1]);
    steps = (unsigned)atoi(argv[2]);
    pattern = pattern_named(argv[3]);
    slots = (unsigned)atoi(argv[4]);
    asks = argc == 6;
    if (count - 1 >= MOST || slots - 1 >= SLOTS_MOST || slots < QUEUE) {
        printf("threads: 1 to %d; slots: %d to %d\n", MOST, QUEUE, SLOTS_MOST);
        return 2;
    }
    static pthread_t threads[MOST];
    pthread_barrier_init(&barrier, 0, count);
    for (uintptr_t number = 1; number < count; number++) {
        if (pthread_create(&threads[number], 0, work, (void *)number) != 0) {
            return 1;
        }
    }
    work(0);
    for (unsigned number = 1; number < count; number++) {
        pthread_join(threads[number], 0);
    }
    report();
    return 0;
}
