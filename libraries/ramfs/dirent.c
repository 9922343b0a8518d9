/* SPDX-License-Identifier: Apache-2.0 */
/* Lists directories. A stream is among all open ones, so that a member that is removed is not read
 * any more. Members that were created after opendir are not read, those that were there and stay
 * are read once. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include <heap.h>

#include "descriptor.h"

struct takt_ramfs_directory {
    struct directory_stream stream; /* guarded by the tree's mutex */
    unsigned steps;                 /* 0 and 1: the names `.` and `..` come next */
    struct dirent entry;
};

DIR *opendir(const char *path) {
    int error = ENOMEM;
    DIR *directory = heap_allocate(sizeof *directory);
    tree_lock();
    struct node *node = directory ? tree_find(path, &error) : 0;
    if (node && node->kind != RAMFS_DIRECTORY) {
        error = ENOTDIR;
        node = 0;
    }
    if (node) {
        node->opened++;
        directory->stream = (struct directory_stream){takt_ramfs_streams, node, node->first};
        directory->steps = 0;
        takt_ramfs_streams = &directory->stream;
    }
    tree_unlock();
    if (!node) {
        heap_free(directory);
        errno = error;
        return 0;
    }
    return directory;
}

static void entry_set(struct dirent *entry, const struct node *node, const char *name,
                      size_t length) {
    static const unsigned char types[] = {
        [RAMFS_DIRECTORY] = DT_DIR, [RAMFS_FILE] = DT_REG, [RAMFS_CONSOLE] = DT_CHR};
    entry->d_ino = (ino_t)((uintptr_t)node / sizeof(void *));
    entry->d_type = types[node->kind];
    memcpy(entry->d_name, name, length);
    entry->d_name[length] = 0;
}

struct dirent *readdir(DIR *directory) {
    struct directory_stream *stream = &directory->stream;
    bool found = true;
    tree_lock();
    if (directory->steps < 2) {
        const struct node *own = stream->directory;
        directory->steps++;
        entry_set(&directory->entry, directory->steps == 1 ? own : own->parent, "..",
                  directory->steps);
    } else if (stream->next) {
        const struct node *node = stream->next;
        entry_set(&directory->entry, node, node->name, node->name_length);
        stream->next = node->next;
    } else {
        found = false;
    }
    tree_unlock();
    return found ? &directory->entry : 0;
}

void rewinddir(DIR *directory) {
    tree_lock();
    directory->steps = 0;
    directory->stream.next = directory->stream.directory->first;
    tree_unlock();
}

int closedir(DIR *directory) {
    tree_lock();
    struct directory_stream **place = &takt_ramfs_streams;
    while (*place != &directory->stream) { /* at most once for each open stream */
        place = &(*place)->other;
    }
    *place = directory->stream.other;
    tree_close(directory->stream.directory);
    tree_unlock();
    heap_free(directory);
    return 0;
}
