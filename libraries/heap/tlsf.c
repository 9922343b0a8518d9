/* SPDX-License-Identifier: Apache-2.0 */
/* The heap is a two-level segregated fit: M. Masmano, I. Ripoll, A. Crespo, J. Real, "TLSF: a new
 * dynamic memory allocator for real-time systems", ECRTS 2004.
 *
 * Free blocks of about one size are in one list. The first level of sizes are the powers of two,
 * the second divides each into 32; a bit for each level and list says whether anything is there. A
 * request is rounded up to the next list's sizes, so that the first block of any list that is found
 * will do: nothing is searched, and no function has a loop (but the check for tests).
 *
 * All is guarded by the spin lock TAKT_POSIX_HEAP_LOCK. */
#include "heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <takt/posix_system.h>
#include <takt/spin_lock.h>
#include <takt/system.h>

/* Before each payload. Blocks lie side by side: the next one is behind the payload. */
struct block {
    struct block *previous; /* the neighbour below; NULL: none */
    size_t size; /* of the payload, a multiple of 16; the lowest bit: the block is free */
    /* In the payload of a free block: its neighbours in the list of its size. */
    struct block *list_next;
    struct block *list_previous;
};

#define UNIT   ((size_t)HEAP_ALIGNMENT)
#define HEADER offsetof(struct block, list_next)
#define FREE   ((size_t)1)
_Static_assert(HEADER == HEAP_ALIGNMENT, "payloads are aligned as headers are");

/* Sizes below SMALL have a list for each multiple of UNIT, in first level 0. */
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
static uint32_t level_bits; /* levels that have a list which is not empty */
static uint32_t division_bits[LEVELS];
static struct block *lists[LEVELS][DIVISIONS];

struct place {
    unsigned level, division;
};

static void lock(void) {
    takt_error error = takt_spin_lock_acquire(TAKT_POSIX_HEAP_LOCK);
    if (error == TAKT_E_ILUSE) {
        takt_panic("heap: beside deadlines a task that uses the heap needs unrestricted = true");
    }
    takt_assert(error == TAKT_OK);
}

static void unlock(void) {
    takt_spin_lock_release(TAKT_POSIX_HEAP_LOCK);
}

static size_t size_of(const struct block *block) {
    return block->size & ~FREE;
}

static bool is_free(const struct block *block) {
    return block->size & FREE;
}

static void *payload_of(struct block *block) {
    return (uint8_t *)block + HEADER;
}

static struct block *block_of(const void *payload) {
    return (struct block *)((uintptr_t)payload - HEADER);
}

/* The neighbour above. The last block is one of size 0 that is never free. */
static struct block *above(const struct block *block) {
    return (struct block *)((uintptr_t)block + HEADER + size_of(block));
}

static unsigned log2_of(size_t size) {
    return 63u - (unsigned)__builtin_clzl(size);
}

/* The list that a free block of this size is in. */
static struct place place_of(size_t size) {
    if (size < SMALL) {
        return (struct place){0, (unsigned)(size / UNIT)};
    }
    unsigned log2 = log2_of(size);
    unsigned division = (unsigned)(size >> (log2 - DIVISION_BITS)) - DIVISIONS;
    return (struct place){log2 - SMALL_BITS + 1, division};
}

static void insert(struct block *block) {
    struct place place = place_of(size_of(block));
    struct block **list = &lists[place.level][place.division];
    block->size |= FREE;
    block->list_previous = 0;
    block->list_next = *list;
    if (*list) {
        (*list)->list_previous = block;
    }
    *list = block;
    level_bits |= 1u << place.level;
    division_bits[place.level] |= 1u << place.division;
}

static void take_out(struct block *block) {
    struct place place = place_of(size_of(block));
    struct block **list = &lists[place.level][place.division];
    if (block->list_previous) {
        block->list_previous->list_next = block->list_next;
    } else {
        *list = block->list_next;
    }
    if (block->list_next) {
        block->list_next->list_previous = block->list_previous;
    }
    if (!*list) {
        division_bits[place.level] &= ~(1u << place.division);
        if (!division_bits[place.level]) {
            level_bits &= ~(1u << place.level);
        }
    }
    block->size &= ~FREE;
}

/* The whole memory as one free block, and the last one. */
static void prepare(void) {
    struct block *first = (struct block *)memory;
    first->previous = 0;
    first->size = (sizeof memory - 2 * HEADER) & ~(UNIT - 1);
    struct block *last = above(first);
    last->previous = first;
    last->size = 0;
    insert(first);
    is_ready = true;
}

/* A free block of at least `size`, out of its list; NULL: there is none. */
static struct block *find(size_t size) {
    size_t rounded = size;
    if (size >= SMALL) {
        rounded += ((size_t)1 << (log2_of(size) - DIVISION_BITS)) - 1;
    }
    struct place place = place_of(rounded);
    if (place.level >= LEVELS) {
        return 0;
    }
    uint32_t divisions = division_bits[place.level] & (~0u << place.division);
    if (!divisions) {
        uint32_t levels = place.level + 1 < LEVELS ? level_bits & (~0u << (place.level + 1)) : 0;
        if (!levels) {
            return 0;
        }
        place.level = (unsigned)__builtin_ctz(levels);
        divisions = division_bits[place.level];
    }
    struct block *block = lists[place.level][__builtin_ctz(divisions)];
    take_out(block);
    return block;
}

/* Makes a block of what is behind the first `size` bytes of the payload, if that is enough for one;
 * else returns NULL. */
static struct block *split(struct block *block, size_t size) {
    if (size_of(block) < size + HEADER + UNIT) {
        return 0;
    }
    struct block *rest = (struct block *)((uint8_t *)payload_of(block) + size);
    rest->previous = block;
    rest->size = size_of(block) - size - HEADER;
    above(rest)->previous = rest;
    block->size = size;
    return rest;
}

/* Joins a block, which is in no list, with the neighbour above, which is not either. */
static void join(struct block *block, struct block *next) {
    block->size += HEADER + size_of(next);
    above(block)->previous = block;
}

/* Gives a block, which is in no list, back: one with its free neighbours. */
static void put(struct block *block) {
    struct block *next = above(block);
    if (is_free(next)) {
        take_out(next);
        join(block, next);
    }
    struct block *previous = block->previous;
    if (previous && is_free(previous)) {
        take_out(previous);
        join(previous, block);
        block = previous;
    }
    insert(block);
}

/* Keeps of a block what `size` needs. */
static void trim(struct block *block, size_t size) {
    struct block *rest = split(block, size);
    if (rest) {
        put(rest);
    }
}

/* Whole units, at least one; 0: more than there is. */
static size_t units(size_t size) {
    if (size > sizeof memory) {
        return 0;
    }
    return size == 0 ? UNIT : (size + UNIT - 1) & ~(UNIT - 1);
}

static void *give(struct block *block, size_t size) {
    trim(block, size);
    used += HEADER + size_of(block);
    return payload_of(block);
}

void *heap_allocate(size_t size) {
    return heap_allocate_aligned(UNIT, size);
}

/* Above the fitting place below `alignment` there must be room for a block that is given back. */
void *heap_allocate_aligned(size_t alignment, size_t size) {
    size = units(size);
    if (!size || alignment > sizeof memory) {
        return 0;
    }
    size_t spare = alignment <= UNIT ? 0 : alignment + HEADER;
    void *payload = 0;
    lock();
    if (!is_ready) {
        prepare();
    }
    struct block *block = find(size + spare);
    if (block) {
        uintptr_t at = (uintptr_t)payload_of(block);
        if (spare && at % alignment != 0) {
            uintptr_t aligned = (at + HEADER + UNIT + alignment - 1) & ~(uintptr_t)(alignment - 1);
            struct block *rest = split(block, aligned - at - HEADER);
            put(block);
            block = rest;
        }
        payload = give(block, size);
    }
    unlock();
    return payload;
}

/* Whether the block is the neighbour above of what it takes for its neighbour below. */
static bool is_linked_below(const struct block *block) {
    const struct block *below = block->previous;
    uintptr_t at = (uintptr_t)below, start = (uintptr_t)memory;
    if (!below) {
        return (uintptr_t)block == start;
    }
    return at >= start && at < (uintptr_t)block && at % UNIT == 0 && above(below) == block;
}

/* The block of a payload that is in use. Panics for everything else that can be told from it. */
static struct block *checked(const void *payload) {
    uintptr_t at = (uintptr_t)payload, start = (uintptr_t)memory;
    bool inside = at >= start + HEADER && at < start + sizeof memory - HEADER && at % UNIT == 0;
    struct block *block = block_of(payload);
    if (!inside || !is_ready) {
        takt_panic("heap: freed or resized what is no block of the heap");
    }
    if (is_free(block)) {
        takt_panic("heap: freed or resized a block that is free");
    }
    size_t room = start + sizeof memory - HEADER - at;
    bool sane = block->size % UNIT == 0 && block->size != 0 && block->size <= room;
    if (!sane || above(block)->previous != block || !is_linked_below(block)) {
        takt_panic("heap: a block's end was overwritten, or it is no block");
    }
    return block;
}

void heap_free(void *payload) {
    if (!payload) {
        return;
    }
    lock();
    struct block *block = checked(payload);
    used -= HEADER + size_of(block);
    put(block);
    unlock();
}

/* Gives the block the size where it lies; false: there is no room. */
static bool resize_in_place(struct block *block, size_t size) {
    struct block *next = above(block);
    size_t with_next = size_of(block) + (is_free(next) ? HEADER + size_of(next) : 0);
    if (with_next < size) {
        return false;
    }
    used -= HEADER + size_of(block);
    if (size > size_of(block)) {
        take_out(next);
        join(block, next);
    }
    give(block, size);
    return true;
}

void *heap_resize(void *payload, size_t size) {
    if (!payload) {
        return heap_allocate(size);
    }
    size = units(size);
    if (!size) {
        return 0;
    }
    lock();
    struct block *block = checked(payload);
    size_t old = size_of(block);
    bool done = resize_in_place(block, size);
    unlock();
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
    return size_of(block_of(payload));
}

size_t heap_used(void) {
    lock();
    size_t bytes = used;
    unlock();
    return bytes;
}

/* Whether a free block stands in the list of its size, whose bits are set. */
static bool is_listed(const struct block *block) {
    struct place place = place_of(size_of(block));
    bool bits = level_bits >> place.level & 1 && division_bits[place.level] >> place.division & 1;
    const struct block *previous = block->list_previous, *next = block->list_next;
    const struct block *from = previous ? previous->list_next : lists[place.level][place.division];
    return bits && from == block && (!next || next->list_previous == block);
}

int heap_is_sound(void) {
    bool sound = true;
    size_t in_use = 0, free_count = 0, listed_count = 0;
    lock();
    if (is_ready) {
        const struct block *block = (const struct block *)memory;
        while (sound && size_of(block) != 0) { /* each block once */
            const struct block *next = above(block);
            sound = next->previous == block && (uintptr_t)next < (uintptr_t)memory + sizeof memory;
            if (is_free(block)) {
                sound = sound && !is_free(next) && is_listed(block);
                free_count++;
            } else {
                in_use += HEADER + size_of(block);
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
    unlock();
    return sound;
}
