/* SPDX-License-Identifier: Apache-2.0 */
/* Two-level segregated fit: M. Masmano, I. Ripoll, A. Crespo, J. Real, "TLSF: a new dynamic memory
 * allocator for real-time systems", ECRTS 2004.
 *
 * Free blocks of similar size are in one list. The first level of sizes are the powers of two; the
 * second level divides each of them into 32. A bit for each level and each list says whether the
 * level or list has blocks. A request is rounded up to the smallest size of a list, so that the
 * first block of the list that is found is large enough: nothing is searched, and no function has a
 * loop except the check for tests. The caller guards the data. */
#ifndef LIBRARIES_HEAP_TLSF_H
#define LIBRARIES_HEAP_TLSF_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/posix_system.h>
#include <takt/system.h>

#include "heap.h"

/* The header before each payload. Blocks are contiguous: the next header follows the payload. The
 * last block of a region has size 0 and is never free. */
struct block {
    struct block *previous; /* the lower neighbour; NULL: none */
    /* The payload's size, a multiple of 16, with FREE and PENDING in the lowest bits, and the
     * number of the block's owner in the highest 16. */
    size_t size;
    /* Only in a free block, in its payload: the neighbours in the list of its size. */
    struct block *list_next;
    struct block *list_previous;
};

#define UNIT        ((size_t)HEAP_ALIGNMENT)
#define HEADER      offsetof(struct block, list_next)
#define FREE        ((size_t)1)
#define PENDING     ((size_t)2) /* freed by another core, and still in the list of its owner */
#define OWNER_SHIFT 48
#define SIZE_BITS   (((size_t)1 << OWNER_SHIFT) - UNIT)
_Static_assert(HEADER == HEAP_ALIGNMENT, "payloads are aligned as headers are");

/* Sizes below SMALL have a list for each multiple of UNIT, in level 0. */
#define DIVISION_BITS 5
#define DIVISIONS     (1u << DIVISION_BITS)
#define SMALL         (UNIT * DIVISIONS)
#define SMALL_BITS    9
#define LEVELS        24
_Static_assert(SMALL == 1u << SMALL_BITS, "the first power of two that is divided");
_Static_assert(TAKT_POSIX_HEAP_SIZE < (size_t)1 << (SMALL_BITS + LEVELS - 1), "has a level");

static uint8_t heap_memory[TAKT_POSIX_HEAP_SIZE] __attribute__((aligned(64)));

/* Free blocks. The number of levels bounds the size of a region. */
struct tlsf {
    size_t used;         /* the bytes in allocated blocks, with their headers */
    uint32_t level_bits; /* the levels that have a list with blocks */
    uint32_t levels;
    uint32_t division_bits[LEVELS];
    /* The lists follow in memory, DIVISIONS for each level. */
};

/* Returns the list of an index. */
static inline struct block **tlsf_list(const struct tlsf *tlsf, unsigned level, unsigned division) {
    return (struct block **)(uintptr_t)(tlsf + 1) + level * DIVISIONS + division;
}

struct list_index {
    unsigned level, division;
};

static inline size_t block_size(const struct block *block) {
    return block->size & SIZE_BITS;
}

static inline void block_set_size(struct block *block, size_t size) {
    block->size = (block->size & ~SIZE_BITS) | size;
}

static inline unsigned block_owner(const struct block *block) {
    return (unsigned)(block->size >> OWNER_SHIFT);
}

static inline bool block_is_free(const struct block *block) {
    return block->size & FREE;
}

static inline void *payload_of(struct block *block) {
    return (uint8_t *)block + HEADER;
}

static inline struct block *block_of(const void *payload) {
    return (struct block *)((uintptr_t)payload - HEADER);
}

/* Returns the upper neighbour. */
static inline struct block *block_above(const struct block *block) {
    return (struct block *)((uintptr_t)block + HEADER + block_size(block));
}

static inline unsigned log2_of(size_t size) {
    return 63u - (unsigned)__builtin_clzl(size);
}

/* Returns the list for free blocks of this size. */
static inline struct list_index list_index_of(size_t size) {
    if (size < SMALL) {
        return (struct list_index){0, (unsigned)(size / UNIT)};
    }
    unsigned log2 = log2_of(size);
    unsigned division = (unsigned)(size >> (log2 - DIVISION_BITS)) - DIVISIONS;
    return (struct list_index){log2 - SMALL_BITS + 1, division};
}

static inline void list_insert(struct tlsf *tlsf, struct block *block) {
    struct list_index index = list_index_of(block_size(block));
    struct block **list = tlsf_list(tlsf, index.level, index.division);
    block->size |= FREE;
    block->list_previous = 0;
    block->list_next = *list;
    if (*list) {
        (*list)->list_previous = block;
    }
    *list = block;
    tlsf->level_bits |= 1u << index.level;
    tlsf->division_bits[index.level] |= 1u << index.division;
}

static inline void list_remove(struct tlsf *tlsf, struct block *block) {
    struct list_index index = list_index_of(block_size(block));
    struct block **list = tlsf_list(tlsf, index.level, index.division);
    if (block->list_previous) {
        block->list_previous->list_next = block->list_next;
    } else {
        *list = block->list_next;
    }
    if (block->list_next) {
        block->list_next->list_previous = block->list_previous;
    }
    if (!*list) {
        tlsf->division_bits[index.level] &= ~(1u << index.division);
        if (!tlsf->division_bits[index.level]) {
            tlsf->level_bits &= ~(1u << index.level);
        }
    }
    block->size &= ~FREE;
}

/* Makes memory a region with one free block, which is not in a list yet, and returns it. */
static inline struct block *region_make(void *memory, size_t bytes, unsigned owner) {
    struct block *first = memory;
    size_t tag = (size_t)owner << OWNER_SHIFT;
    first->previous = 0;
    first->size = tag | ((bytes - 2 * HEADER) & ~(UNIT - 1));
    struct block *last = block_above(first);
    last->previous = first;
    last->size = tag;
    return first;
}

/* Removes a free block of at least `size` from its list and returns it; NULL: there is none. */
static inline struct block *list_take(struct tlsf *tlsf, size_t size) {
    size_t rounded = size;
    if (size >= SMALL) {
        rounded += ((size_t)1 << (log2_of(size) - DIVISION_BITS)) - 1;
    }
    struct list_index index = list_index_of(rounded);
    if (index.level >= tlsf->levels) {
        return 0;
    }
    uint32_t divisions = tlsf->division_bits[index.level] & (~0u << index.division);
    if (!divisions) {
        uint32_t levels =
            index.level + 1 < tlsf->levels ? tlsf->level_bits & (~0u << (index.level + 1)) : 0;
        if (!levels) {
            return 0;
        }
        index.level = (unsigned)__builtin_ctz(levels);
        divisions = tlsf->division_bits[index.level];
    }
    struct block *block = *tlsf_list(tlsf, index.level, (unsigned)__builtin_ctz(divisions));
    list_remove(tlsf, block);
    return block;
}

/* Makes a block of what follows the first `size` bytes of the payload, if that is enough for one;
 * otherwise returns NULL. */
static inline struct block *block_split(struct block *block, size_t size) {
    if (block_size(block) < size + HEADER + UNIT) {
        return 0;
    }
    struct block *rest = (struct block *)((uint8_t *)payload_of(block) + size);
    rest->previous = block;
    rest->size = block->size;
    block_set_size(rest, block_size(block) - size - HEADER);
    block_above(rest)->previous = rest;
    block_set_size(block, size);
    return rest;
}

/* Joins a block with its upper neighbour; neither is in a list. */
static inline void block_join(struct block *block, struct block *next) {
    block->size += HEADER + block_size(next);
    block_above(block)->previous = block;
}

/* Joins a block that is in no list with its free neighbours, and returns the result, which is in no
 * list. */
static inline struct block *block_merge(struct tlsf *tlsf, struct block *block) {
    struct block *next = block_above(block);
    if (block_is_free(next)) {
        list_remove(tlsf, next);
        block_join(block, next);
    }
    struct block *previous = block->previous;
    if (previous && block_is_free(previous)) {
        list_remove(tlsf, previous);
        block_join(previous, block);
        block = previous;
    }
    return block;
}

static inline void block_free(struct tlsf *tlsf, struct block *block) {
    list_insert(tlsf, block_merge(tlsf, block));
}

/* Frees the part of a block that exceeds `size`. */
static inline void block_trim(struct tlsf *tlsf, struct block *block, size_t size) {
    struct block *rest = block_split(block, size);
    if (rest) {
        block_free(tlsf, rest);
    }
}

/* Rounds a size up to whole units, at least one. Returns 0 if that is more than the memory. */
static inline size_t round_size(size_t size) {
    if (size > TAKT_POSIX_HEAP_SIZE) {
        return 0;
    }
    return size == 0 ? UNIT : (size + UNIT - 1) & ~(UNIT - 1);
}

/* Returns how much larger than the request a block must be for this alignment: a gap below the
 * aligned address becomes a block of its own. */
static inline size_t spare_for(size_t alignment) {
    return alignment <= UNIT ? 0 : alignment + HEADER;
}

static inline void *block_allocate(struct tlsf *tlsf, struct block *block, size_t size) {
    block_trim(tlsf, block, size);
    tlsf->used += HEADER + block_size(block);
    return payload_of(block);
}

/* Allocates a block of a rounded size; NULL: there is none. */
static inline void *tlsf_allocate(struct tlsf *tlsf, size_t alignment, size_t size) {
    size_t spare = spare_for(alignment);
    struct block *block = list_take(tlsf, size + spare);
    if (!block) {
        return 0;
    }
    uintptr_t at = (uintptr_t)payload_of(block);
    if (spare && at % alignment != 0) {
        uintptr_t aligned = (at + HEADER + UNIT + alignment - 1) & ~(uintptr_t)(alignment - 1);
        struct block *rest = block_split(block, aligned - at - HEADER);
        block_free(tlsf, block);
        block = rest;
    }
    return block_allocate(tlsf, block, size);
}

/* Returns whether the lower neighbour that the header names has this block as its upper neighbour.
 * */
static inline bool block_is_linked(const struct block *block) {
    const struct block *below = block->previous;
    uintptr_t at = (uintptr_t)below, start = (uintptr_t)heap_memory;
    return !below ||
           (at >= start && at < (uintptr_t)block && at % UNIT == 0 && block_above(below) == block);
}

/* Returns the block with this payload, which may be free or pending. Panics if there cannot be one.
 */
static inline struct block *block_at(const void *payload) {
    uintptr_t at = (uintptr_t)payload, start = (uintptr_t)heap_memory;
    if (at < start + HEADER || at >= start + sizeof heap_memory - HEADER || at % UNIT != 0) {
        takt_panic("heap: freed or resized what is no block of the heap");
    }
    return block_of(payload);
}

/* Panics if the block is detectably none that is allocated. */
static inline void block_check(const struct block *block) {
    if (block->size & (FREE | PENDING)) {
        takt_panic("heap: freed or resized a block that is free");
    }
    uintptr_t end = (uintptr_t)heap_memory + sizeof heap_memory;
    size_t size = block_size(block), room = end - HEADER - (uintptr_t)payload_of((void *)block);
    bool sane = (block->size & (UNIT - 1)) == 0 && size != 0 && size <= room;
    if (!sane || block_above(block)->previous != block || !block_is_linked(block)) {
        takt_panic("heap: a block's end was overwritten, or it is no block");
    }
}

/* Changes the size of a block in place; returns false if there is no room. */
static inline bool block_resize_in_place(struct tlsf *tlsf, struct block *block, size_t size) {
    struct block *next = block_above(block);
    size_t with_next = block_size(block) + (block_is_free(next) ? HEADER + block_size(next) : 0);
    if (with_next < size) {
        return false;
    }
    tlsf->used -= HEADER + block_size(block);
    if (size > block_size(block)) {
        list_remove(tlsf, next);
        block_join(block, next);
    }
    block_allocate(tlsf, block, size);
    return true;
}

/* Returns whether a free block is in the list of its size, and whether the list's bits are set. */
static inline bool block_is_listed(const struct tlsf *tlsf, const struct block *block) {
    struct list_index index = list_index_of(block_size(block));
    bool bits = tlsf->level_bits >> index.level & 1 &&
                tlsf->division_bits[index.level] >> index.division & 1;
    const struct block *previous = block->list_previous, *next = block->list_next;
    const struct block *from =
        previous ? previous->list_next : *tlsf_list(tlsf, index.level, index.division);
    return bits && from == block && (!next || next->list_previous == block);
}

/* Returns whether a listed block agrees with its neighbours. */
static inline bool block_is_sound(const struct block *block) {
    const struct block *above = block_above(block);
    return block_is_free(block) && !block_is_free(above) && above->previous == block &&
           block_is_linked(block);
}

/* Counts the blocks in the lists, and returns whether they agree with the bitmaps and with their
 * neighbours. */
static inline bool lists_are_sound(const struct tlsf *tlsf, size_t *count) {
    bool sound = true;
    for (unsigned level = 0; level < tlsf->levels; level++) {
        for (unsigned division = 0; division < DIVISIONS; division++) {
            const struct block *it = *tlsf_list(tlsf, level, division);
            sound = sound && !!it == (tlsf->division_bits[level] >> division & 1);
            for (; it && sound; it = it->list_next) {
                sound = block_is_sound(it) && block_is_listed(tlsf, it);
                ++*count;
            }
        }
    }
    return sound;
}

/* Adds the blocks of a region to the counts, and returns whether they are linked and listed. */
static inline bool region_is_sound(const struct tlsf *tlsf, const struct block *block,
                                   size_t *in_use, size_t *free_count) {
    bool sound = true;
    while (sound && block_size(block) != 0) { /* once for each block */
        const struct block *next = block_above(block);
        sound = next->previous == block &&
                (uintptr_t)next < (uintptr_t)heap_memory + sizeof heap_memory;
        if (block_is_free(block)) {
            sound = sound && !block_is_free(next) && block_is_listed(tlsf, block);
            ++*free_count;
        } else {
            *in_use += HEADER + block_size(block);
        }
        block = next;
    }
    return sound;
}

#endif
