/* SPDX-License-Identifier: Apache-2.0 */
/* The heap `scalable`: blocks of one core are freed and resized by others, cores that allocate
 * nothing give their memory back, and no block is lost. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <heap.h>
#include <takt/posix_system.h>

#include "check.h"

enum { CORES_MOST = 72, SLOTS = 16, STEPS = 300 };

static unsigned cores;
static pthread_barrier_t barrier;

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void on_all(void *(*start)(void *)) {
    pthread_t threads[CORES_MOST];
    for (uintptr_t number = 1; number < cores; number++) {
        CHECK_IS(pthread_create(&threads[number], 0, start, (void *)number), 0);
    }
    start(0);
    for (unsigned number = 1; number < cores; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
    }
}

/* A place where one thread leaves a block, and any takes it. */
static struct { uint8_t *block; } __attribute__((aligned(64))) places[CORES_MOST * SLOTS];

/* The first bytes hold the size, the others the low byte of the size. */
static uint8_t *block_make(uint32_t *state) {
    uint32_t bits = next_random(state) % 10;
    size_t size = sizeof(size_t) + next_random(state) % (2u << bits);
    bool aligned = next_random(state) % 8 == 0;
    uint8_t *block = aligned ? aligned_alloc(128, size) : malloc(size);
    if (block) {
        CHECK(!aligned || (uintptr_t)block % 128 == 0);
        memset(block, (int)(size & 0xff), size);
        memcpy(block, &size, sizeof size);
    }
    return block;
}

static bool block_holds(const uint8_t *block) {
    size_t size;
    memcpy(&size, block, sizeof size);
    for (size_t at = sizeof size; at < size; at++) {
        if (block[at] != (size & 0xff)) {
            return false;
        }
    }
    return malloc_usable_size((void *)block) >= size;
}

static uint8_t *block_grow(uint8_t *block) {
    size_t size, grown;
    memcpy(&size, block, sizeof size);
    grown = size + 48;
    uint8_t *other = realloc(block, grown);
    if (!other) {
        return block;
    }
    memcpy(other, &grown, sizeof grown);
    memset(other + sizeof grown, (int)(grown & 0xff), grown - sizeof grown);
    return other;
}

/* Each thread puts blocks into random places, and checks, resizes and frees what was there. */
static void *exchange(void *number) {
    uint32_t state = (uint32_t)(uintptr_t)number * 7919u + 3;
    pthread_barrier_wait(&barrier);
    for (int step = 0; step < STEPS; step++) {
        uint8_t *block = next_random(&state) % 4 ? block_make(&state) : 0;
        unsigned place = next_random(&state) % (cores * SLOTS);
        block = __atomic_exchange_n(&places[place].block, block, __ATOMIC_ACQ_REL);
        if (block) {
            CHECK(block_holds(block));
            if (next_random(&state) % 8 == 0) {
                block = block_grow(block);
                CHECK(block_holds(block));
            }
            free(block);
        }
    }
    return 0;
}

/* Allocates until there is nothing, so that pending blocks must be found; returns the number. */
static unsigned fill(void **list, size_t size) {
    unsigned count = 0;
    void **block;
    while ((block = malloc(size)) != 0) {
        *block = *list;
        *list = block;
        count++;
    }
    return count;
}

static unsigned empty(void **list) {
    unsigned count = 0;
    while (*list) {
        void **block = *list;
        *list = *block;
        free(block);
        count++;
    }
    return count;
}

static void *hoard;
static unsigned hoarded;

static void *fill_elsewhere(void *number) {
    if ((uintptr_t)number == cores - 1) {
        hoarded = fill(&hoard, 200);
        CHECK_IS(errno, ENOMEM);
    }
    return 0;
}

/* The core with all memory sleeps for ever, and the others free its blocks: they get all of it. */
static void test_hoard(void) {
    on_all(fill_elsewhere);
    CHECK(hoarded >= TAKT_POSIX_HEAP_SIZE / 216 * 85 / 100);
    CHECK(malloc(200) == 0);
    CHECK_IS(empty(&hoard), hoarded);
    unsigned again = fill(&hoard, 200);
    CHECK(again >= hoarded * 95 / 100);
    CHECK_IS(empty(&hoard), again);
    void *whole = malloc(TAKT_POSIX_HEAP_SIZE / 16 * 15);
    CHECK(whole != 0);
    free(whole);
    CHECK(malloc(TAKT_POSIX_HEAP_SIZE) == 0); /* it looks everywhere before it fails */
    CHECK_IS(heap_used(), 0);
    CHECK_IS(heap_held(), 0);
    CHECK(heap_is_sound());
}

enum { BATCH = 40 };
static void *batches[2][BATCH];
static size_t most_held;

/* Thread 1 produces, and thread 0 consumes, for ever: memory held does not grow. */
static void *produce_or_consume(void *number) {
    for (unsigned round = 0; round < 60; round++) {
        if ((uintptr_t)number == 1) {
            for (int index = 0; index < BATCH; index++) {
                batches[round % 2][index] = malloc(500);
                CHECK(batches[round % 2][index] != 0);
            }
        }
        pthread_barrier_wait(&barrier);
        if (number == 0) {
            for (int index = 0; index < BATCH; index++) {
                free(batches[round % 2][index]);
            }
            most_held = heap_held() > most_held ? heap_held() : most_held;
        }
    }
    return 0;
}

int main(void) {
    cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    CHECK_IS(pthread_barrier_init(&barrier, 0, cores), 0);
    size_t before = heap_used();
    CHECK_IS(before, 0);
    on_all(exchange);
    CHECK(heap_is_sound());
    for (unsigned place = 0; place < cores * SLOTS; place++) {
        CHECK(!places[place].block || block_holds(places[place].block));
        free(places[place].block);
    }
    test_hoard();
    CHECK_IS(pthread_barrier_init(&barrier, 0, cores), 0);
    on_all(produce_or_consume);
    /* Two batches live, two wait to be drained, and a chunk at either end. */
    CHECK(most_held <= 4 * BATCH * 516 + 3 * (1 << 16));
    check_end();
}
