/* SPDX-License-Identifier: Apache-2.0 */
/* The heap: its blocks are aligned and do not overlap; freed blocks are joined; an exhausted heap
 * reports that. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <heap.h>

#include "check.h"

enum { SLOTS = 64, STEPS = 1500, WORKERS = 4 };

struct slot {
    uint8_t *block;
    size_t size;
    uint8_t mark;
};

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Mostly small sizes, and some of many pages. */
static size_t random_size(uint32_t *state) {
    uint32_t bits = next_random(state) % 14;
    return next_random(state) % (2u << bits);
}

static bool holds(const struct slot *slot, size_t size) {
    for (size_t at = 0; at < size; at++) {
        if (slot->block[at] != slot->mark) {
            return false;
        }
    }
    return true;
}

static void fill(struct slot *slot, uint32_t *state) {
    slot->mark = (uint8_t)next_random(state);
    memset(slot->block, slot->mark, slot->size);
}

static void allocate(struct slot *slot, uint32_t *state) {
    slot->size = random_size(state);
    size_t alignment = 16u << next_random(state) % 6;
    bool aligned = next_random(state) % 4 == 0;
    slot->block = aligned ? aligned_alloc(alignment, slot->size) : malloc(slot->size);
    CHECK((uintptr_t)slot->block % (aligned ? alignment : 16) == 0);
    if (slot->block) {
        CHECK(malloc_usable_size(slot->block) >= slot->size);
        fill(slot, state);
    }
}

static void resize(struct slot *slot, uint32_t *state) {
    size_t size = random_size(state);
    uint8_t *block = realloc(slot->block, size);
    if (block) {
        size_t kept = size < slot->size ? size : slot->size;
        *slot = (struct slot){block, size, slot->mark};
        CHECK(holds(slot, kept));
        fill(slot, state);
    }
}

/* Performs random operations; the contents of every block are checked when it is freed. */
static void *worker(void *number) {
    static struct slot all[WORKERS + 1][SLOTS];
    struct slot *slots = all[(uintptr_t)number];
    uint32_t state = (uint32_t)(uintptr_t)number * 77u + 1;
    for (int step = 0; step < STEPS; step++) {
        struct slot *slot = &slots[next_random(&state) % SLOTS];
        if (!slot->block) {
            allocate(slot, &state);
        } else if (next_random(&state) % 3 == 0) {
            resize(slot, &state);
        } else {
            CHECK(holds(slot, slot->size));
            free(slot->block);
            slot->block = 0;
        }
        if (step % 250 == 0) {
            CHECK(heap_is_sound());
        }
    }
    for (int index = 0; index < SLOTS; index++) {
        free(slots[index].block);
    }
    return 0;
}

static void test_random(void) {
    pthread_t threads[WORKERS];
    for (uintptr_t number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_create(&threads[number], 0, worker, (void *)(number + 1)), 0);
    }
    for (int number = 0; number < WORKERS; number++) {
        CHECK_IS(pthread_join(threads[number], 0), 0);
    }
    CHECK_IS(heap_used(), 0);
    CHECK(heap_is_sound());
}

/* Allocates blocks until there is no memory; after freeing them, all of it can be allocated as one
 * block. */
static void test_exhaustion(void) {
    enum { BLOCK = 10000 };
    void **list = 0;
    unsigned count = 0;
    void **block;
    errno = 0;
    while ((block = malloc(BLOCK)) != 0) {
        *block = list;
        list = block;
        count++;
    }
    CHECK_IS(errno, ENOMEM);
    CHECK(count >= (1u << 20) / BLOCK - 2); /* little memory is lost to headers */
    CHECK(heap_is_sound());
    uint8_t *volatile last =
        (uint8_t *)list; /* volatile, so that GCC does not remove the realloc */
    memset(last + sizeof list, 5, BLOCK - sizeof list);
    CHECK(realloc(last, 10 * BLOCK) == 0);
    CHECK(last[BLOCK - 1] == 5); /* unchanged */
    while (list) {
        void **next = *list;
        free(list);
        list = next;
    }
    CHECK_IS(heap_used(), 0);
    void *whole = malloc((1u << 20) - 40000);
    CHECK(whole != 0);
    free(whole);
}

static void test_limits(void) {
    volatile size_t most = SIZE_MAX; /* volatile, so that GCC does not warn */
    CHECK(malloc(most) == 0);
    CHECK(malloc(most - 20) == 0);
    CHECK(calloc(most / 2, 3) == 0);
    CHECK(aligned_alloc(48, 10) == 0);
    CHECK_IS(errno, EINVAL);
    CHECK(aligned_alloc((size_t)1 << 40, 10) == 0);
    void *block = 0;
    CHECK_IS(posix_memalign(&block, 4, 10), EINVAL);
    CHECK_IS(posix_memalign(&block, 4096, 10), 0);
    CHECK((uintptr_t)block % 4096 == 0);
    free(block);
    uint8_t *zeros = calloc(7, 100);
    size_t sum = 0;
    for (int index = 0; index < 700; index++) {
        sum += zeros[index];
    }
    CHECK_IS(sum, 0);
    free(zeros);
    free(0);
    block = malloc(0);
    CHECK(block != 0);
    free(block);
    CHECK_IS(heap_used(), 0);
}

int main(void) {
    test_limits();
    test_random();
    test_exhaustion();
    check_end();
}
