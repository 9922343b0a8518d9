/* SPDX-License-Identifier: Apache-2.0 */
/* The heap: memory in blocks of any size. Every call takes a constant number of steps, with
 * interrupts disabled and at most one spin lock held at a time, whatever was allocated before;
 * heap_resize may copy, without the lock. Only with the allocator `scalable`, a call that finds no
 * memory looks for some with every core, and may take a number of steps that depends on what was
 * freed.
 *
 * Context: any, except with a locked CPU. Freeing or resizing memory that is no allocated block, or
 * a block that was written beyond its end, panics as far as this can be detected. */
#ifndef LIBRARIES_HEAP_H
#define LIBRARIES_HEAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The alignment of every block in bytes. */
#define HEAP_ALIGNMENT 16

/* Allocates a block of at least `size` bytes; returns NULL if there is no memory. */
void *heap_allocate(size_t size);

/* Allocates a block like heap_allocate at a multiple of `alignment`, which is a power of two. */
void *heap_allocate_aligned(size_t alignment, size_t size);

/* Changes the size of a block. The block may move; the bytes that fit both sizes are kept. Returns
 * NULL if there is no memory; then the block is unchanged. */
void *heap_resize(void *block, size_t size);

/* Frees a block; NULL is ignored. */
void heap_free(void *block);

/* Returns the number of bytes of a block that may be used. */
size_t heap_size(const void *block);

/* Returns the number of bytes in allocated blocks, including their headers. */
size_t heap_used(void);

/* Returns the number of bytes that are not available to a core that allocates nothing yet: those of
 * heap_used, and the free memory that cores keep for themselves. */
size_t heap_held(void);

/* Returns whether the heap's lists, bitmaps and neighbours are consistent. It examines every block
 * with the lock held, which takes long: for tests only. */
int heap_is_sound(void);

#ifdef __cplusplus
}
#endif

#endif
