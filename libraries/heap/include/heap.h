/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in pieces of any size. Every call takes a constant number of steps, with interrupts
 * disabled and one spin lock held, whatever was allocated before; heap_resize may copy, outside of
 * the lock.
 *
 * Context: any but a locked CPU. What is no block of the heap in use, or has been written beyond
 * its end, panics when it is freed. */
#ifndef LIBRARIES_HEAP_H
#define LIBRARIES_HEAP_H

#include <stddef.h>

/* Every block begins at a multiple of this. */
#define HEAP_ALIGNMENT 16

/* A block of at least `size` bytes; NULL: there is none. */
void *heap_allocate(size_t size);

/* The same, at a multiple of `alignment`, a power of two. */
void *heap_allocate_aligned(size_t alignment, size_t size);

/* Gives a block another size; it may move, and keeps what both sizes have room for. NULL: there is
 * no memory, and the block is as it was. */
void *heap_resize(void *block, size_t size);

/* Gives a block back; NULL is none. */
void heap_free(void *block);

/* Bytes of a block that may be used. */
size_t heap_size(const void *block);

/* Bytes that blocks in use take, with their headers. */
size_t heap_used(void);

/* Whether the heap's lists, bitmaps and neighbours agree; looks at every block, so takes long with
 * the lock held: for tests. */
int heap_is_sound(void);

#endif
