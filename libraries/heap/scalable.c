/* SPDX-License-Identifier: Apache-2.0 */
/* The heap `scalable`: each core has an arena of its own. docs/design/threads.md, "Heap".
 *
 * The central heap has all memory, and gives chunks of it to the arenas, and large blocks to
 * programs. A block belongs to the arena that allocated it, whose number is in its header. A core
 * that frees a block of another core puts it into that core's list of pending blocks, without a
 * lock; each operation of the owner frees at most DRAINED of them. No code holds two locks. */
#include <takt/posix_system.h>

#if TAKT_POSIX_HEAP_SCALABLE

#include <string.h>
#include <takt/context.h>
#include <takt/spin_lock.h>

#include "tlsf.h"

enum {
    CORES = TAKT_POSIX_CORES,
    CENTRAL = 0xffff, /* the owner's number of chunks and large blocks */
    DRAINED = 1,      /* the pending blocks that an operation frees */
    SEARCHED = 32,    /* the same of an operation that found no memory, for each core */
    ARENA_LEVELS = 8, /* for blocks below 64 KiB */
    PAGE = 4096,
    CHUNK_MOST = 1 << 16,
};

/* Chunks are so small that a quarter of the memory suffices for one a core. */
#define CHUNK_QUARTER (TAKT_POSIX_HEAP_SIZE / 4 / CORES / PAGE * PAGE)
#define CHUNK                                                                                      \
    ((size_t)(CHUNK_QUARTER < PAGE         ? PAGE                                                  \
              : CHUNK_QUARTER > CHUNK_MOST ? CHUNK_MOST                                            \
                                           : CHUNK_QUARTER))
#define LARGE (CHUNK / 2)

/* The link of a pending block that is in the list, and whose successor is not written yet. */
#define LINKING ((struct block *)1)

/* Guarded by the core's lock, which is TAKT_POSIX_ARENA_LOCK and the core's number. */
static struct arena {
    struct tlsf tlsf;
    struct block *lists[ARENA_LEVELS * DIVISIONS];
    struct block *spare;   /* a chunk without an allocated block, which is in no list */
    struct block *pending; /* pending blocks that were taken from the shared list */
} __attribute__((aligned(64))) arenas[CORES];

/* The pending blocks of each core, the newest first. Any core exchanges the head. */
static struct remote { struct block *head; } __attribute__((aligned(64))) remotes[CORES];

/* Guarded by the lock TAKT_POSIX_HEAP_LOCK. */
static struct {
    struct tlsf tlsf;
    struct block *lists[LEVELS * DIVISIONS];
    size_t in_chunks; /* the part of tlsf.used that is chunks */
    bool is_ready;
} central;

/* --- Locks -------------------------------------------------------------------------------------
 */

static void owner_lock(unsigned owner) {
    takt_error error = takt_spin_lock_acquire(owner == CENTRAL ? TAKT_POSIX_HEAP_LOCK
                                                               : TAKT_POSIX_ARENA_LOCK + owner);
    if (error == TAKT_E_ILUSE) {
        takt_panic("heap: beside deadlines a task that uses the heap needs unrestricted = true");
    }
    takt_assert(error == TAKT_OK);
}

static void owner_unlock(unsigned owner) {
    takt_spin_lock_release(owner == CENTRAL ? TAKT_POSIX_HEAP_LOCK : TAKT_POSIX_ARENA_LOCK + owner);
}

/* --- The central heap --------------------------------------------------------------------------
 */

static void *central_allocate(size_t alignment, size_t size, bool is_chunk) {
    owner_lock(CENTRAL);
    if (!central.is_ready) {
        central.tlsf.levels = LEVELS;
        list_insert(&central.tlsf, region_make(heap_memory, sizeof heap_memory, CENTRAL));
        central.is_ready = true;
    }
    void *payload = tlsf_allocate(&central.tlsf, alignment, size);
    if (payload && is_chunk) {
        central.in_chunks += HEADER + block_size(block_of(payload));
    }
    owner_unlock(CENTRAL);
    return payload;
}

static void central_free(struct block *block, bool is_chunk) {
    owner_lock(CENTRAL);
    block_check(block);
    size_t bytes = HEADER + block_size(block);
    central.tlsf.used -= bytes;
    central.in_chunks -= is_chunk ? bytes : 0;
    block_free(&central.tlsf, block);
    owner_unlock(CENTRAL);
}

/* --- Arenas: the core's lock is held -----------------------------------------------------------
 */

/* The chunks that a section has taken out of an arena, and gives to the central heap after it. */
struct chunks {
    unsigned count;
    struct block *first[SEARCHED + 2];
};

static void chunks_free(const struct chunks *chunks) {
    for (unsigned index = 0; index < chunks->count; index++) {
        central_free(block_of(chunks->first[index]), true);
    }
}

/* Frees a block. A chunk that has no allocated block any more becomes the arena's spare one, or
 * leaves the arena if it has one. */
static void arena_free(struct arena *arena, struct block *block, struct chunks *chunks) {
    block_check(block);
    arena->tlsf.used -= HEADER + block_size(block);
    block = block_merge(&arena->tlsf, block);
    if (block->previous || block_size(block_above(block)) != 0) {
        list_insert(&arena->tlsf, block);
    } else if (!arena->spare) {
        arena->spare = block;
    } else {
        chunks->first[chunks->count++] = block;
    }
}

/* Frees pending blocks, at most so many; returns their number. */
static unsigned arena_drain(unsigned core, unsigned most, struct chunks *chunks) {
    struct arena *arena = &arenas[core];
    struct block **head = &remotes[core].head;
    unsigned count = 0;
    for (; count < most; count++) {
        if (!arena->pending && __atomic_load_n(head, __ATOMIC_RELAXED)) {
            /* Pairs with the exchange in remote_free: what the block held was read and written. */
            arena->pending = __atomic_exchange_n(head, 0, __ATOMIC_ACQUIRE);
        }
        struct block *block = arena->pending;
        if (!block) {
            break;
        }
        /* Pairs with the store in remote_free, after which the block is not accessed there. The
         * loop ends with that store: its core has interrupts disabled, and does nothing before. */
        struct block *next;
        while ((next = __atomic_load_n(&block->list_next, __ATOMIC_ACQUIRE)) == LINKING) {
        }
        arena->pending = next;
        block->size &= ~PENDING;
        arena_free(arena, block, chunks);
    }
    return count;
}

static void *arena_allocate(struct arena *arena, size_t alignment, size_t size) {
    void *payload = tlsf_allocate(&arena->tlsf, alignment, size);
    if (!payload && arena->spare) {
        list_insert(&arena->tlsf, arena->spare);
        arena->spare = 0;
        payload = tlsf_allocate(&arena->tlsf, alignment, size);
    }
    return payload;
}

/* --- Operations --------------------------------------------------------------------------------
 */

/* Looks for memory everywhere, with one lock after the other. A round that frees no pending block
 * is the last one, so the number of rounds is at most that of the pending blocks, and one. */
static __attribute__((noinline)) void *allocate_anywhere(size_t alignment, size_t size) {
    bool is_large = size + spare_for(alignment) > LARGE;
    for (bool more = true; more;) {
        more = false;
        for (unsigned core = 0; core < CORES; core++) {
            struct chunks chunks = {0};
            void *payload = 0;
            owner_lock(core);
            more |= arena_drain(core, SEARCHED, &chunks) > 0;
            if (!is_large) {
                payload = arena_allocate(&arenas[core], alignment, size);
            }
            if (!payload && arenas[core].spare) {
                chunks.first[chunks.count++] = arenas[core].spare;
                arenas[core].spare = 0;
            }
            owner_unlock(core);
            chunks_free(&chunks);
            if (payload) {
                return payload;
            }
        }
        void *payload = central_allocate(alignment, size, false);
        if (payload) {
            return payload;
        }
    }
    return 0;
}

/* Allocates from the caller's arena, which gets another chunk if it has no memory. */
static void *allocate_here(size_t alignment, size_t size) {
    unsigned core = takt_core_self();
    struct arena *arena = &arenas[core];
    struct chunks chunks;
    chunks.count = 0;
    owner_lock(core);
    arena_drain(core, DRAINED, &chunks);
    void *payload = arena_allocate(arena, alignment, size);
    owner_unlock(core);
    chunks_free(&chunks);
    if (payload) {
        return payload;
    }
    void *chunk = central_allocate(UNIT, CHUNK, true);
    if (!chunk) {
        return 0;
    }
    owner_lock(core);
    arena->tlsf.levels = ARENA_LEVELS;
    list_insert(&arena->tlsf, region_make(chunk, block_size(block_of(chunk)), core));
    payload = arena_allocate(arena, alignment, size);
    owner_unlock(core);
    return payload;
}

void *heap_allocate(size_t size) {
    return heap_allocate_aligned(UNIT, size);
}

void *heap_allocate_aligned(size_t alignment, size_t size) {
    size = round_size(size);
    if (!size || alignment > sizeof heap_memory) {
        return 0;
    }
    bool is_large = size + spare_for(alignment) > LARGE;
    void *payload =
        is_large ? central_allocate(alignment, size, false) : allocate_here(alignment, size);
    return payload ? payload : allocate_anywhere(alignment, size);
}

/* Returns the owner of a block; panics if there is none. */
static unsigned owner_of(const struct block *block) {
    unsigned owner = block_owner(block);
    if (block->size & (FREE | PENDING)) {
        takt_panic("heap: freed or resized a block that is free");
    }
    if (owner != CENTRAL && owner >= CORES) {
        takt_panic("heap: a block's end was overwritten, or it is no block");
    }
    return owner;
}

/* Puts a block into its owner's list of pending blocks, in a constant number of steps. Interrupts
 * are disabled, so that the list is cut for a few instructions only. */
static void remote_free(unsigned owner, struct block *block) {
    block->size |= PENDING;
    bool unlocked = takt_cpu_lock() == TAKT_OK;
    /* GCC up to 13 makes an exchange of __atomic_store_n: both stores are volatile ones. */
    struct block *volatile *link = &block->list_next;
    *link = LINKING;
    /* Both pair with arena_drain. */
    struct block *next = __atomic_exchange_n(&remotes[owner].head, block, __ATOMIC_ACQ_REL);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    *link = next;
    if (unlocked) {
        takt_cpu_unlock();
    }
}

void heap_free(void *payload) {
    if (!payload) {
        return;
    }
    struct block *block = block_at(payload);
    unsigned owner = owner_of(block), core = takt_core_self();
    if (owner == CENTRAL) {
        central_free(block, false);
    } else if (owner != core) {
        remote_free(owner, block);
    } else {
        struct chunks chunks;
        chunks.count = 0;
        owner_lock(core);
        arena_free(&arenas[core], block, &chunks);
        arena_drain(core, DRAINED, &chunks);
        owner_unlock(core);
        chunks_free(&chunks);
    }
}

/* Resizes a block in place with its owner's lock, also on another core. */
void *heap_resize(void *payload, size_t size) {
    if (!payload) {
        return heap_allocate(size);
    }
    size = round_size(size);
    if (!size) {
        return 0;
    }
    struct block *block = block_at(payload);
    unsigned owner = owner_of(block);
    struct tlsf *tlsf = owner == CENTRAL ? &central.tlsf : &arenas[owner].tlsf;
    owner_lock(owner);
    block_check(block);
    size_t old = block_size(block);
    bool done = block_resize_in_place(tlsf, block, size);
    owner_unlock(owner);
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

size_t heap_held(void) {
    owner_lock(CENTRAL);
    size_t bytes = central.tlsf.used;
    owner_unlock(CENTRAL);
    return bytes;
}

size_t heap_used(void) {
    owner_lock(CENTRAL);
    size_t bytes = central.tlsf.used - central.in_chunks;
    owner_unlock(CENTRAL);
    for (unsigned core = 0; core < CORES; core++) {
        owner_lock(core);
        bytes += arenas[core].tlsf.used;
        owner_unlock(core);
    }
    return bytes;
}

int heap_is_sound(void) {
    size_t in_use = 0, free_count = 0, listed = 0;
    bool sound = true;
    owner_lock(CENTRAL);
    if (central.is_ready) {
        const struct block *first = (const struct block *)heap_memory;
        sound = region_is_sound(&central.tlsf, first, &in_use, &free_count);
        sound = lists_are_sound(&central.tlsf, &listed) && sound;
        sound = sound && in_use == central.tlsf.used && listed == free_count;
    }
    owner_unlock(CENTRAL);
    for (unsigned core = 0; core < CORES; core++) {
        owner_lock(core);
        sound = lists_are_sound(&arenas[core].tlsf, &listed) && sound;
        owner_unlock(core);
    }
    return sound;
}

#endif
