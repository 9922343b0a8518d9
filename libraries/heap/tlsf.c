/* SPDX-License-Identifier: Apache-2.0 */
/* The heap `tlsf`: one list of free blocks, guarded by the spin lock TAKT_POSIX_HEAP_LOCK. */
#include <takt/posix_system.h>

#if !TAKT_POSIX_HEAP_SCALABLE

#include <string.h>
#include <takt/spin_lock.h>

#include "tlsf.h"

/* Guarded by the lock. */
static struct {
    struct tlsf tlsf;
    struct block *lists[LEVELS * DIVISIONS];
} heap;
static bool is_ready;

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

void *heap_allocate(size_t size) {
    return heap_allocate_aligned(UNIT, size);
}

void *heap_allocate_aligned(size_t alignment, size_t size) {
    size = round_size(size);
    if (!size || alignment > sizeof heap_memory) {
        return 0;
    }
    heap_lock();
    if (!is_ready) {
        heap.tlsf.levels = LEVELS;
        list_insert(&heap.tlsf, region_make(heap_memory, sizeof heap_memory, 0));
        is_ready = true;
    }
    void *payload = tlsf_allocate(&heap.tlsf, alignment, size);
    heap_unlock();
    return payload;
}

/* Returns the allocated block with this payload. Panics if the payload is detectably that of no
 * such block. */
static struct block *block_checked(const void *payload) {
    struct block *block = block_at(payload);
    if (!is_ready) {
        takt_panic("heap: freed or resized what is no block of the heap");
    }
    block_check(block);
    return block;
}

void heap_free(void *payload) {
    if (!payload) {
        return;
    }
    heap_lock();
    struct block *block = block_checked(payload);
    heap.tlsf.used -= HEADER + block_size(block);
    block_free(&heap.tlsf, block);
    heap_unlock();
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
    bool done = block_resize_in_place(&heap.tlsf, block, size);
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
    size_t bytes = heap.tlsf.used;
    heap_unlock();
    return bytes;
}

size_t heap_held(void) {
    return heap_used();
}

int heap_is_sound(void) {
    size_t in_use = 0, free_count = 0, listed = 0;
    heap_lock();
    bool sound = true;
    if (is_ready) {
        const struct block *first = (const struct block *)heap_memory;
        sound = region_is_sound(&heap.tlsf, first, &in_use, &free_count);
        sound = lists_are_sound(&heap.tlsf, &listed) && sound;
        sound = sound && in_use == heap.tlsf.used && listed == free_count;
    }
    heap_unlock();
    return sound;
}

#endif
