/* SPDX-License-Identifier: Apache-2.0 */
/* The content of a file is stored in blocks, which a table of two levels finds with two loads.
 * Where there is no block, the content is that of the initrd, followed by zeros. Invariant: the
 * bytes of the last block behind the file's end are zeros. */
#include <string.h>

#include <heap.h>

#include "node.h"

static size_t least(uint64_t one, uint64_t other) {
    return (size_t)(one < other ? one : other);
}

static uint8_t *block_of(const struct node *file, uint64_t index) {
    ramfs_leaf *leaf = file->table ? (*file->table)[index / RAMFS_ENTRIES] : 0;
    return leaf ? (*leaf)[index % RAMFS_ENTRIES] : 0;
}

/* Copies content that is in no block. */
static void origin_copy(const struct node *file, uint64_t position, uint8_t *buffer, size_t count) {
    size_t there = 0;
    if (position < file->origin_size) {
        there = least(count, file->origin_size - position);
        memcpy(buffer, file->origin + position, there);
    }
    memset(buffer + there, 0, count - there);
}

size_t content_read(const struct node *file, uint64_t position, void *buffer, size_t count) {
    if (position >= file->size) {
        return 0;
    }
    count = least(count, file->size - position);
    if (!file->table) {
        origin_copy(file, position, buffer, count);
        return count;
    }
    uint8_t *to = buffer;
    size_t rest = count;
    while (rest > 0) { /* once for each block */
        size_t offset = position % RAMFS_BLOCK;
        size_t piece = least(rest, RAMFS_BLOCK - offset);
        const uint8_t *block = block_of(file, position / RAMFS_BLOCK);
        if (block) {
            memcpy(to, block + offset, piece);
        } else {
            origin_copy(file, position, to, piece);
        }
        to += piece;
        position += piece;
        rest -= piece;
    }
    return count;
}

static void *heap_allocate_zeroed(size_t size) {
    void *memory = heap_allocate(size);
    return memory ? memset(memory, 0, size) : 0;
}

/* Returns the block, which is created if necessary; NULL: there is no memory. */
static uint8_t *block_make(struct node *file, uint64_t index) {
    if (!file->table) {
        file->table = heap_allocate_zeroed(sizeof *file->table);
    }
    if (!file->table) {
        return 0;
    }
    ramfs_leaf **leaf = &(*file->table)[index / RAMFS_ENTRIES];
    if (!*leaf) {
        *leaf = heap_allocate_zeroed(sizeof **leaf);
    }
    if (!*leaf) {
        return 0;
    }
    uint8_t **block = &(**leaf)[index % RAMFS_ENTRIES];
    if (!*block) {
        uint8_t *made = heap_allocate(RAMFS_BLOCK);
        if (made) {
            origin_copy(file, index * RAMFS_BLOCK, made, RAMFS_BLOCK);
        }
        *block = made;
    }
    return *block;
}

size_t content_write(struct node *file, uint64_t position, const void *buffer, size_t count) {
    const uint8_t *from = buffer;
    size_t written = 0;
    while (written < count) { /* once for each block */
        size_t offset = position % RAMFS_BLOCK;
        size_t piece = least(count - written, RAMFS_BLOCK - offset);
        uint8_t *block = block_make(file, position / RAMFS_BLOCK);
        if (!block) {
            break;
        }
        memcpy(block + offset, from + written, piece);
        written += piece;
        position += piece;
    }
    if (written > 0) {
        file->changed = 1;
        file->size = position > file->size ? position : file->size;
    }
    return written;
}

static void leaf_free(ramfs_leaf *leaf, uint64_t from) {
    for (uint64_t index = from; index < RAMFS_ENTRIES; index++) {
        heap_free((*leaf)[index]);
        (*leaf)[index] = 0;
    }
}

/* Frees the blocks from this one on. */
static void blocks_free(struct node *file, uint64_t from) {
    if (!file->table) {
        return;
    }
    for (uint64_t index = from / RAMFS_ENTRIES; index < RAMFS_ENTRIES; index++) {
        ramfs_leaf **leaf = &(*file->table)[index];
        uint64_t first = index == from / RAMFS_ENTRIES ? from % RAMFS_ENTRIES : 0;
        if (*leaf) {
            leaf_free(*leaf, first);
        }
        if (first == 0) {
            heap_free(*leaf);
            *leaf = 0;
        }
    }
    if (from == 0) {
        heap_free(file->table);
        file->table = 0;
    }
}

void content_resize(struct node *file, uint64_t size) {
    /* Also if the size is equal: a first write that found no memory has left its tables. */
    if (size <= file->size) {
        blocks_free(file, (size + RAMFS_BLOCK - 1) / RAMFS_BLOCK);
        uint8_t *last = size % RAMFS_BLOCK ? block_of(file, size / RAMFS_BLOCK) : 0;
        if (last) {
            memset(last + size % RAMFS_BLOCK, 0, RAMFS_BLOCK - size % RAMFS_BLOCK);
        }
        file->origin_size = least(file->origin_size, size);
    }
    file->size = size;
    file->changed = 1;
}
