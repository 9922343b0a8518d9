/* SPDX-License-Identifier: Apache-2.0 */
/* The heap is a two-level segregated fit: M. Masmano, I. Ripoll, A. Crespo, J. Real, "TLSF: a new
 * dynamic memory allocator for real-time systems", ECRTS 2004.
 *
 * Free blocks of similar size are in one list. The first level of sizes are the powers of two; the
 * second level divides each of them into 32. A bit for each level and each list says whether the
 * level or list has blocks. A request is rounded up to the smallest size of a list, so that the
 * first block of the list that is found is large enough: nothing is searched, and no function has a
 * loop except the check for tests.
 *
 * The spin lock TAKT_POSIX_HEAP_LOCK guards all data. */
#include "heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <takt/posix_system.h>
#include <takt/spin_lock.h>
#include <takt/system.h>

/* The header before each payload. Blocks are contiguous: the next header follows the payload. */
struct block {
    struct block *previous; /* the lower neighbour; NULL: none */
    size_t size; /* of the payload, a multiple of 16; the lowest bit is set if the block is free */
    /* Only in a free block, in its payload: the neighbours in the list of its size. */
    struct block *list_next;
    struct block *list_previous;
};

#define UNIT   ((size_t)HEAP_ALIGNMENT)
#define HEADER offsetof(struct block, list_next)
#define FREE   ((size_t)1)
_Static_assert(HEADER == HEAP_ALIGNMENT, "payloads are aligned as headers are");

/* Sizes below SMALL have a list for each multiple of UNIT, in level 0. */
#define DIVISION_BITS 5
#define DIVISIONS     (1u << DIVISION_BITS)
#define SMALL         (UNIT * DIVISIONS)
#define SMALL_BITS    9
#define LEVELS        24
_Static_assert(SMALL == 1u << SMALL_BITS, "the first power of two that is divided");
_Static_assert(TAKT_POSIX_HEAP_SIZE < (size_t)1 << (SMALL_BITS + LEVELS - 1), "has a level");

static uint8_t memory[TAKT_POSIX_HEAP_SIZE] __attribute__((aligned(64)));

/* Guarded by the lock. */
static bool is_ready;
static size_t used;
static uint32_t level_bits; /* the levels that have a list with blocks */
static uint32_t division_bits[LEVELS];
static struct block *lists[LEVELS][DIVISIONS];

struct list_index {
    unsigned level, division;
};

static void heap_lock(void) {
    takt_error error = takt_spin_lock_acquire(TAKT_POSIX_HEAP_LOCK);
    if (error == TAKT_E_ILUSE) {
        takt_panic("heap: beside deadlines a task that uses the heap needs unrestricted = true");
    }
    takt_assert(error == TAKT_OK);
}

static void heap_unlock(void) {
    takt_spin_lock_release(TAKT_POSIX_HEAP_LOCK);
}

static size_t block_size(const struct block *block) {
    return block->size & ~FREE;
}

static bool block_is_free(const struct block *block) {
    return block->size & FREE;
}

static void *payload_of(struct block *block) {
    return (uint8_t *)block + HEADER;
}

static struct block *block_of(const void *payload) {
    return (struct block *)((uintptr_t)payload - HEADER);
}

/* Returns the upper neighbour. The last block has size 0 and is never free. */
static struct block *block_above(const struct block *block) {
    return (struct block *)((uintptr_t)block + HEADER + block_size(block));
}

static unsigned log2_of(size_t size) {
    return 63u - (unsigned)__builtin_clzl(size);
}

/* Returns the list for free blocks of this size. */
static struct list_index list_index_of(size_t size) {
    if (size < SMALL) {
        return (struct list_index){0, (unsigned)(size / UNIT)};
    }
    unsigned log2 = log2_of(size);
    unsigned division = (unsigned)(size >> (log2 - DIVISION_BITS)) - DIVISIONS;
    return (struct list_index){log2 - SMALL_BITS + 1, division};
}

static void list_insert(struct block *block) {
    struct list_index index = list_index_of(block_size(block));
    struct block **list = &lists[index.level][index.division];
    block->size |= FREE;
    block->list_previous = 0;
    block->list_next = *list;
    if (*list) {
        (*list)->list_previous = block;
    }
    *list = block;
    level_bits |= 1u << index.level;
    division_bits[index.level] |= 1u << index.division;
}

static void list_remove(struct block *block) {
    struct list_index index = list_index_of(block_size(block));
    struct block **list = &lists[index.level][index.division];
    if (block->list_previous) {
        block->list_previous->list_next = block->list_next;
    } else {
        *list = block->list_next;
    }
    if (block->list_next) {
        block->list_next->list_previous = block->list_previous;
    }
    if (!*list) {
        division_bits[index.level] &= ~(1u << index.division);
        if (!division_bits[index.level]) {
            level_bits &= ~(1u << index.level);
        }
    }
    block->size &= ~FREE;
}

/* Makes the whole memory one free block and the last block. */
static void heap_prepare(void) {
    struct block *first = (struct block *)memory;
    first->previous = 0;
    first->size = (sizeof memory - 2 * HEADER) & ~(UNIT - 1);
    struct block *last = block_above(first);
    last->previous = first;
    last->size = 0;
    list_insert(first);
    is_ready = true;
}

/* Removes a free block of at least `size` from its list and returns it; NULL: there is none. */
static struct block *list_take(size_t size) {
    size_t rounded = size;
    if (size >= SMALL) {
        rounded += ((size_t)1 << (log2_of(size) - DIVISION_BITS)) - 1;
    }
    struct list_index index = list_index_of(rounded);
    if (index.level >= LEVELS) {
        return 0;
    }
    uint32_t divisions = division_bits[index.level] & (~0u << index.division);
    if (!divisions) {
        uint32_t levels = index.level + 1 < LEVELS ? level_bits & (~0u << (index.level + 1)) : 0;
        if (!levels) {
            return 0;
        }
        index.level = (unsigned)__builtin_ctz(levels);
        divisions = division_bits[index.level];
    }
    struct block *block = lists[index.level][__builtin_ctz(divisions)];
    list_remove(block);
    return block;
}

/* Makes a block of what follows the first `size` bytes of the payload, if that is enough for one;
 * otherwise returns NULL. */
static struct block *block_split(struct block *block, size_t size) {
    if (block_size(block) < size + HEADER + UNIT) {
        return 0;
    }
    struct block *rest = (struct block *)((uint8_t *)payload_of(block) + size);
    rest->previous = block;
    rest->size = block_size(block) - size - HEADER;
    block_above(rest)->previous = rest;
    block->size = size;
    return rest;
}

/* Joins a block with its upper neighbour; neither is in a list. */
static void block_join(struct block *block, struct block *next) {
    block->size += HEADER + block_size(next);
    block_above(block)->previous = block;
}

/* Frees a block that is in no list, and joins it with its free neighbours. */
static void block_free(struct block *block) {
    struct block *next = block_above(block);
    if (block_is_free(next)) {
        list_remove(next);
        block_join(block, next);
    }
    struct block *previous = block->previous;
    if (previous && block_is_free(previous)) {
        list_remove(previous);
        block_join(previous, block);
        block = previous;
    }
    list_insert(block);
}

/* Frees the part of a block that exceeds `size`. */
static void block_trim(struct block *block, size_t size) {
    struct block *rest = block_split(block, size);
    if (rest) {
        block_free(rest);
    }
}

/* Rounds a size up to whole units, at least one. Returns 0 if that is more than the memory. */
static size_t round_size(size_t size) {
    if (size > sizeof memory) {
        return 0;
    }
    return size == 0 ? UNIT : (size + UNIT - 1) & ~(UNIT - 1);
}

static void *block_allocate(struct block *block, size_t size) {
    block_trim(block, size);
    used += HEADER + block_size(block);
    return payload_of(block);
}

void *heap_allocate(size_t size) {
    return heap_allocate_aligned(UNIT, size);
}

/* A gap below the aligned address becomes a block of its own, so the found block must have room for
 * it. */
void *heap_allocate_aligned(size_t alignment, size_t size) {
    size = round_size(size);
    if (!size || alignment > sizeof memory) {
        return 0;
    }
    size_t spare = alignment <= UNIT ? 0 : alignment + HEADER;
    void *payload = 0;
    heap_lock();
    if (!is_ready) {
        heap_prepare();
    }
    struct block *block = list_take(size + spare);
    if (block) {
        uintptr_t at = (uintptr_t)payload_of(block);
        if (spare && at % alignment != 0) {
            uintptr_t aligned = (at + HEADER + UNIT + alignment - 1) & ~(uintptr_t)(alignment - 1);
            struct block *rest = block_split(block, aligned - at - HEADER);
            block_free(block);
            block = rest;
        }
        payload = block_allocate(block, size);
    }
    heap_unlock();
    return payload;
}

/* Returns whether the lower neighbour that the header names has this block as its upper neighbour.
 * */
static bool block_is_linked(const struct block *block) {
    const struct block *below = block->previous;
    uintptr_t at = (uintptr_t)below, start = (uintptr_t)memory;
    if (!below) {
        return (uintptr_t)block == start;
    }
    return at >= start && at < (uintptr_t)block && at % UNIT == 0 && block_above(below) == block;
}

/* Returns the allocated block with this payload. Panics if the payload is detectably that of no
 * such block. */
static struct block *block_checked(const void *payload) {
    uintptr_t at = (uintptr_t)payload, start = (uintptr_t)memory;
    bool inside = at >= start + HEADER && at < start + sizeof memory - HEADER && at % UNIT == 0;
    struct block *block = block_of(payload);
    if (!inside || !is_ready) {
        takt_panic("heap: freed or resized what is no block of the heap");
    }
    if (block_is_free(block)) {
        takt_panic("heap: freed or resized a block that is free");
    }
    size_t room = start + sizeof memory - HEADER - at;
    bool sane = block->size % UNIT == 0 && block->size != 0 && block->size <= room;
    if (!sane || block_above(block)->previous != block || !block_is_linked(block)) {
        takt_panic("heap: a block's end was overwritten, or it is no block");
    }
    return block;
}

void heap_free(void *payload) {
    if (!payload) {
        return;
    }
    heap_lock();
    struct block *block = block_checked(payload);
    used -= HEADER + block_size(block);
    block_free(block);
    heap_unlock();
}

/* Changes the size of a block in place; returns false if there is no room. */
static bool block_resize_in_place(struct block *block, size_t size) {
    struct block *next = block_above(block);
    size_t with_next = block_size(block) + (block_is_free(next) ? HEADER + block_size(next) : 0);
    if (with_next < size) {
        return false;
    }
    used -= HEADER + block_size(block);
    if (size > block_size(block)) {
        list_remove(next);
        block_join(block, next);
    }
    block_allocate(block, size);
    return true;
}

void *heap_resize(void *payload, size_t size) {
    if (!payload) {
        return heap_allocate(size);
    }
    size = round_size(size);
    if (!size) {
        return 0;
    }
    heap_lock();
    struct block *block = block_checked(payload);
    size_t old = block_size(block);
    bool done = block_resize_in_place(block, size);
    heap_unlock();
    if (done) {
        return payload;
    }
    void *other = heap_allocate(size);
    if (other) {
        memcpy(other, payload, old < size ? old : size);
        heap_free(payload);
    }
    return other;
}

size_t heap_size(const void *payload) {
    return block_size(block_of(payload));
}

size_t heap_used(void) {
    heap_lock();
    size_t bytes = used;
    heap_unlock();
    return bytes;
}

/* Returns whether a free block is in the list of its size, and whether the list's bits are set. */
static bool block_is_listed(const struct block *block) {
    struct list_index index = list_index_of(block_size(block));
    bool bits = level_bits >> index.level & 1 && division_bits[index.level] >> index.division & 1;
    const struct block *previous = block->list_previous, *next = block->list_next;
    const struct block *from = previous ? previous->list_next : lists[index.level][index.division];
    return bits && from == block && (!next || next->list_previous == block);
}

int heap_is_sound(void) {
    bool sound = true;
    size_t in_use = 0, free_count = 0, listed_count = 0;
    heap_lock();
    if (is_ready) {
        const struct block *block = (const struct block *)memory;
        while (sound && block_size(block) != 0) { /* once for each block */
            const struct block *next = block_above(block);
            sound = next->previous == block && (uintptr_t)next < (uintptr_t)memory + sizeof memory;
            if (block_is_free(block)) {
                sound = sound && !block_is_free(next) && block_is_listed(block);
                free_count++;
            } else {
                in_use += HEADER + block_size(block);
            }
            block = next;
        }
        for (unsigned level = 0; level < LEVELS; level++) {
            for (unsigned division = 0; division < DIVISIONS; division++) {
                const struct block *it = lists[level][division];
                sound = sound && !!it == (division_bits[level] >> division & 1);
                for (; it && listed_count <= free_count; it = it->list_next) {
                    listed_count++;
                }
            }
        }
        sound = sound && in_use == used && listed_count == free_count;
    }
    heap_unlock();
    return sound;
}
