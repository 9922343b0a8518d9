/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that take a path: open, stat, mkdir, unlink. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.h"

/* Creates a node at the path. The tree's mutex is locked. */
static struct node *node_make(const char *path, unsigned kind, int *error) {
    const char *name;
    size_t length;
    struct node *directory = tree_find_parent(path, &name, &length, error);
    if (!directory) {
        return 0;
    }
    bool is_step = (length == 1 && name[0] == '.') || (length == 2 && !memcmp(name, "..", 2));
    if (is_step || tree_child(directory, name, length)) {
        *error = EEXIST;
        return 0;
    }
    if (kind == RAMFS_FILE && name[length] == '/') {
        *error = EISDIR;
        return 0;
    }
    struct node *node = tree_add(directory, name, length, kind);
    *error = node ? 0 : ENOSPC;
    return node;
}

/* Returns the node that a call of open refers to, which may have to be created. The tree's mutex is
 * locked. */
static struct node *find_to_open(const char *path, int flags, int *error) {
    struct node *node = tree_find(path, error);
    if (!node && *error == ENOENT && flags & O_CREAT) {
        return node_make(path, RAMFS_FILE, error);
    }
    if (!node) {
        return 0;
    }
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (flags & O_CREAT && flags & O_EXCL) {
        *error = EEXIST;
    } else if (node->kind == RAMFS_DIRECTORY && (writes || flags & (O_CREAT | O_TRUNC))) {
        *error = EISDIR;
    } else if (node->kind != RAMFS_DIRECTORY && flags & O_DIRECTORY) {
        *error = ENOTDIR;
    }
    return *error ? 0 : node;
}

/* There are no permissions: `mode` is ignored. */
int open(const char *path, int flags, ...) {
    int number = -1, error = 0;
    tree_lock();
    struct descriptor *descriptor = descriptor_find(&number);
    struct node *node = descriptor ? find_to_open(path, flags, &error) : 0;
    if (node) {
        pthread_mutex_lock(&descriptor->mutex);
        node->opened++;
        descriptor->node = node;
        descriptor->flags = flags;
        descriptor->position = 0;
        if (flags & O_TRUNC && node->kind == RAMFS_FILE) {
            pthread_mutex_lock(&node->mutex);
            content_resize(node, 0);
            pthread_mutex_unlock(&node->mutex);
        }
        pthread_mutex_unlock(&descriptor->mutex);
    }
    tree_unlock();
    return node ? number : failed(descriptor ? error : EMFILE);
}

void node_status(struct node *node, struct stat *status) {
    static const mode_t modes[] = {[RAMFS_DIRECTORY] = S_IFDIR | 0755,
                                   [RAMFS_FILE] = S_IFREG | 0644,
                                   [RAMFS_CONSOLE] = S_IFCHR | 0666};
    pthread_mutex_lock(&node->mutex);
    *status = (struct stat){.st_mode = modes[node->kind],
                            .st_ino = (ino_t)((uintptr_t)node / sizeof(void *)),
                            .st_nlink = node->unlinked ? 0 : 1,
                            .st_size = (off_t)node->size,
                            .st_blksize = RAMFS_BLOCK,
                            .st_blocks = (blkcnt_t)((node->size + 511) / 512)};
    pthread_mutex_unlock(&node->mutex);
}

int stat(const char *restrict path, struct stat *restrict status) {
    int error;
    tree_lock();
    struct node *node = tree_find(path, &error);
    if (node) {
        node_status(node, status);
    }
    tree_unlock();
    return node ? 0 : failed(error);
}

int mkdir(const char *path, mode_t mode) {
    int error;
    tree_lock();
    struct node *node = node_make(path, RAMFS_DIRECTORY, &error);
    tree_unlock();
    return node ? 0 : failed(error);
}

int unlink(const char *path) {
    int error;
    tree_lock();
    struct node *node = tree_find(path, &error);
    if (node && node->kind != RAMFS_FILE) {
        error = node->kind == RAMFS_DIRECTORY ? EISDIR : EPERM;
        node = 0;
    }
    if (node) {
        tree_remove(node);
    }
    tree_unlock();
    return node ? 0 : failed(error);
}
