/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the heap under threads, one a core: calls in a millisecond of all together, the mean
 * and the greatest number of cycles of a call, and the memory in blocks and held at the end. In
 * `own` each thread frees what it allocated; in `passed` its neighbour does. Arguments: threads,
 * steps of each, `own` or `passed`. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <heap.h>

enum { MOST = 128, SLOTS = 64 };

static unsigned count, steps;
static bool passes;
static pthread_barrier_t barrier;
static struct own {
    uint64_t calls, cycles, most, nanoseconds;
    void *slots[SLOTS];
} __attribute__((aligned(64))) owns[MOST];

static uint64_t cycles(void) {
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
    return value;
}

static void note(struct own *own, uint64_t begin) {
    uint64_t passed = cycles() - begin;
    own->calls++;
    own->cycles += passed;
    own->most = passed > own->most ? passed : own->most;
}

/* Frees what is in the slot of this thread, or its neighbour's, and puts another block there. */
static void step(struct own *own, struct own *other, uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    unsigned slot = (*state >> 8) % SLOTS;
    void *block = __atomic_exchange_n(&other->slots[slot], 0, __ATOMIC_ACQ_REL);
    uint64_t begin = cycles();
    if (block) {
        free(block);
        note(own, begin);
        return;
    }
    size_t size = (*state >> 17) % (16u << (*state >> 8) % 8) + 1;
    begin = cycles();
    block = malloc(size);
    note(own, begin);
    if (!block) {
        printf("no memory\n");
        exit(1);
    }
    void *former = __atomic_exchange_n(&own->slots[slot], block, __ATOMIC_ACQ_REL);
    if (former) {
        begin = cycles();
        free(former);
        note(own, begin);
    }
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void *work(void *number) {
    unsigned index = (unsigned)(uintptr_t)number;
    struct own *own = &owns[index], *other = passes ? &owns[(index + 1) % count] : own;
    uint32_t state = index * 7919u + 1;
    for (unsigned round = 0; round < 2 * SLOTS; round++) {
        step(own, other, &state); /* caches and arenas are warm then */
    }
    own->calls = own->cycles = own->most = 0;
    pthread_barrier_wait(&barrier);
    uint64_t begin = nanoseconds();
    for (unsigned round = 0; round < steps; round++) {
        step(own, other, &state);
    }
    own->nanoseconds = nanoseconds() - begin;
    return 0;
}

int main(int argc, char **argv) {
    count = (unsigned)atoi(argv[1]);
    steps = (unsigned)atoi(argv[2]);
    passes = strcmp(argv[3], "passed") == 0;
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
    struct own all = {0};
    for (unsigned number = 0; number < count; number++) {
        all.calls += owns[number].calls;
        all.cycles += owns[number].cycles;
        all.nanoseconds += owns[number].nanoseconds;
        all.most = owns[number].most > all.most ? owns[number].most : all.most;
    }
    printf("heap scaling: %s, %u threads: %.0f calls/ms, mean %lu, most %lu cycles, used %lu, "
           "held %lu\n",
           argv[3], count, (double)all.calls * count * 1e6 / (double)all.nanoseconds,
           (unsigned long)(all.cycles / all.calls), (unsigned long)all.most,
           (unsigned long)heap_used(), (unsigned long)heap_held());
    return 0;
}
