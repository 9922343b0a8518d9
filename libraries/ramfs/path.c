/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that take a path. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.h"

static bool is_step(const char *name, size_t length) {
    return (length == 1 && name[0] == '.') || (length == 2 && !memcmp(name, "..", 2));
}

/* Creates a node at the path. The tree's mutex is locked. */
static struct node *node_make(const char *path, unsigned kind, int *error) {
    const char *name;
    size_t length;
    struct node *directory = tree_find_parent(path, &name, &length, error);
    if (!directory) {
        return 0;
    }
    if (is_step(name, length) || tree_child(directory, name, length)) {
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

int creat(const char *path, mode_t mode) {
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
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

/* There are no symbolic links. */
int lstat(const char *restrict path, struct stat *restrict status) {
    return stat(path, status);
}

/* Relative paths begin at the root. */
char *getcwd(char *path, size_t size) {
    if (path && size < 2) {
        errno = size == 0 ? EINVAL : ERANGE;
        return 0;
    }
    return path ? strcpy(path, "/") : strdup("/");
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

/* Returns whether the last component of a path is `.` or `..`. */
static bool ends_in_step(const char *path) {
    const char *name;
    size_t length;
    int error;
    return !tree_find_parent(path, &name, &length, &error) || is_step(name, length);
}

int rmdir(const char *path) {
    int error;
    tree_lock();
    struct node *node = tree_find(path, &error);
    if (node) {
        error = node->kind != RAMFS_DIRECTORY ? ENOTDIR
                : node->parent == node        ? EBUSY
                : ends_in_step(path)          ? EINVAL
                : node->first                 ? ENOTEMPTY
                                              : 0;
    }
    if (!error) {
        tree_remove(node);
    }
    tree_unlock();
    return error ? failed(error) : 0;
}

/* Returns the error of replacing one node by another. */
static int error_of_replacing(const struct node *target, const struct node *node) {
    if (target->kind == RAMFS_CONSOLE) {
        return EBUSY;
    }
    if (target->kind != RAMFS_DIRECTORY) {
        return node->kind == RAMFS_DIRECTORY ? ENOTDIR : 0;
    }
    return node->kind != RAMFS_DIRECTORY ? EISDIR : target->first ? ENOTEMPTY : 0;
}

/* Moves a node to a path. The tree's mutex is locked. A node that the path names is replaced; if
 * there is no memory for the name, nothing is changed. */
static int node_rename(struct node *node, const char *path) {
    const char *name;
    size_t length;
    int error;
    struct node *directory = tree_find_parent(path, &name, &length, &error);
    if (!directory) {
        return error;
    }
    /* Once for each directory up to the root. */
    for (const struct node *it = directory; it != it->parent; it = it->parent) {
        if (it == node) {
            return EINVAL; /* below itself */
        }
    }
    if (is_step(name, length)) {
        return EINVAL;
    }
    if (name[length] == '/' && node->kind != RAMFS_DIRECTORY) {
        return ENOTDIR;
    }
    struct node *target = tree_child(directory, name, length);
    if (target == node) {
        return 0;
    }
    error = target ? error_of_replacing(target, node) : 0;
    if (error) {
        return error;
    }
    if (!tree_move(node, directory, name, length)) {
        return ENOSPC;
    }
    if (target) {
        tree_remove(target);
    }
    return 0;
}

int rename(const char *old_path, const char *new_path) {
    int error;
    tree_lock();
    struct node *node = tree_find(old_path, &error);
    if (node) {
        error = node->parent == node || node->kind == RAMFS_CONSOLE ? EBUSY
                : ends_in_step(old_path)                            ? EINVAL
                                                                    : node_rename(node, new_path);
    }
    tree_unlock();
    return error ? failed(error) : 0;
}

int truncate(const char *path, off_t size) {
    int error;
    tree_lock();
    struct node *node = tree_find(path, &error);
    if (node) {
        error = node->kind == RAMFS_DIRECTORY          ? EISDIR
                : size < 0 || node->kind != RAMFS_FILE ? EINVAL
                : (uint64_t)size > RAMFS_LARGEST       ? EFBIG
                                                       : 0;
    }
    if (!error) {
        pthread_mutex_lock(&node->mutex);
        content_resize(node, (uint64_t)size);
        pthread_mutex_unlock(&node->mutex);
    }
    tree_unlock();
    return error ? failed(error) : 0;
}

/* All may read and write; only directories can be searched, and no file can be executed. */
int access(const char *path, int mode) {
    int error;
    tree_lock();
    const struct node *node = tree_find(path, &error);
    if (mode & ~(R_OK | W_OK | X_OK)) {
        error = EINVAL;
    } else if (node && mode & X_OK && node->kind != RAMFS_DIRECTORY) {
        error = EACCES;
    }
    tree_unlock();
    return error ? failed(error) : 0;
}
