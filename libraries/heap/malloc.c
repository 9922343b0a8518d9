/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the C library's names for the heap's functions, in place of picolibc's. */
#include "heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *or_error(void *block) {
    if (!block) {
        errno = ENOMEM;
    }
    return block;
}

void *malloc(size_t size) {
    return or_error(heap_allocate(size));
}

void free(void *block) {
    heap_free(block);
}

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return or_error(0);
    }
    void *block = or_error(heap_allocate(bytes));
    return block ? memset(block, 0, bytes) : 0;
}

/* Size 0 gives a block of the smallest size, like malloc(0). */
void *realloc(void *block, size_t size) {
    return or_error(heap_resize(block, size));
}

static int is_power_of_two(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

void *memalign(size_t alignment, size_t size) {
    if (!is_power_of_two(alignment)) {
        errno = EINVAL;
        return 0;
    }
    return or_error(heap_allocate_aligned(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (!is_power_of_two(alignment) || alignment % sizeof(void *) != 0) {
        return EINVAL;
    }
    void *found = heap_allocate_aligned(alignment, size);
    if (!found) {
        return ENOMEM;
    }
    *block = found;
    return 0;
}

size_t malloc_usable_size(void *block) {
    return block ? heap_size(block) : 0;
}
