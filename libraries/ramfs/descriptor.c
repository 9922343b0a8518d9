/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors stand for open files: this reads, writes, seeks in and closes them. */
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <takt/system.h>

/* What the program finds open; nobody closes it so that it goes away. */
static struct node console = {
    .name = "console", .name_length = 7, .kind = RAMFS_CONSOLE, .opened = 3};

static struct descriptor descriptors[DESCRIPTORS] = {
    {.node = &console, .flags = O_RDONLY},
    {.node = &console, .flags = O_WRONLY},
    {.node = &console, .flags = O_WRONLY},
};

int failed(int error) {
    errno = error;
    return -1;
}

struct descriptor *descriptor_find(int *number) {
    for (int index = 0; index < DESCRIPTORS; index++) {
        if (!descriptors[index].node) {
            *number = index;
            return &descriptors[index];
        }
    }
    return 0;
}

/* The descriptor with its mutex held; NULL, and errno: it is none. */
static struct descriptor *hold(int number) {
    if (number >= 0 && number < DESCRIPTORS) {
        struct descriptor *descriptor = &descriptors[number];
        pthread_mutex_lock(&descriptor->mutex);
        if (descriptor->node) {
            return descriptor;
        }
        pthread_mutex_unlock(&descriptor->mutex);
    }
    errno = EBADF;
    return 0;
}

static void let_go(struct descriptor *descriptor) {
    pthread_mutex_unlock(&descriptor->mutex);
}

static bool reads(const struct descriptor *descriptor) {
    return (descriptor->flags & O_ACCMODE) != O_WRONLY;
}

static bool writes(const struct descriptor *descriptor) {
    return (descriptor->flags & O_ACCMODE) != O_RDONLY;
}

static ssize_t read_from(struct descriptor *descriptor, void *buffer, size_t count) {
    struct node *node = descriptor->node;
    if (!reads(descriptor)) {
        return failed(EBADF);
    }
    if (node->kind == RAMFS_DIRECTORY) {
        return failed(EISDIR);
    }
    if (node->kind == RAMFS_CONSOLE) {
        return 0;
    }
    pthread_mutex_lock(&node->mutex);
    size_t done = content_read(node, descriptor->position, buffer, count);
    pthread_mutex_unlock(&node->mutex);
    descriptor->position += done;
    return (ssize_t)done;
}

ssize_t read(int number, void *buffer, size_t count) {
    struct descriptor *descriptor = hold(number);
    if (!descriptor) {
        return -1;
    }
    ssize_t done =
        count > (size_t)INTPTR_MAX ? failed(EINVAL) : read_from(descriptor, buffer, count);
    let_go(descriptor);
    return done;
}

/* What finds the console's ring full is dropped, and counted by the kernel. */
static void write_console(const char *text, size_t count) {
    while (count > 0) { /* once a piece */
        size_t piece = count < TAKT_CONSOLE_PIECE ? count : TAKT_CONSOLE_PIECE;
        takt_console_write(text, piece);
        text += piece;
        count -= piece;
    }
}

static ssize_t write_file(struct descriptor *descriptor, const void *buffer, size_t count) {
    struct node *node = descriptor->node;
    pthread_mutex_lock(&node->mutex);
    uint64_t at = descriptor->flags & O_APPEND ? node->size : descriptor->position;
    size_t room = at < RAMFS_LARGEST ? (size_t)(RAMFS_LARGEST - at) : 0;
    size_t done = content_write(node, at, buffer, count < room ? count : room);
    pthread_mutex_unlock(&node->mutex);
    if (done == 0 && count > 0) {
        return failed(room == 0 ? EFBIG : ENOSPC);
    }
    descriptor->position = at + done;
    return (ssize_t)done;
}

ssize_t write(int number, const void *buffer, size_t count) {
    struct descriptor *descriptor = hold(number);
    if (!descriptor) {
        return -1;
    }
    ssize_t done = (ssize_t)count;
    if (count > (size_t)INTPTR_MAX) {
        done = failed(EINVAL);
    } else if (!writes(descriptor)) {
        done = failed(EBADF);
    } else if (descriptor->node->kind == RAMFS_CONSOLE) {
        write_console(buffer, count);
    } else {
        done = write_file(descriptor, buffer, count);
    }
    let_go(descriptor);
    return done;
}

static uint64_t size_of(struct node *node) {
    pthread_mutex_lock(&node->mutex);
    uint64_t size = node->size;
    pthread_mutex_unlock(&node->mutex);
    return size;
}

static off_t seek(struct descriptor *descriptor, off_t offset, int whence) {
    off_t base, position;
    switch (whence) {
    case SEEK_SET:
        base = 0;
        break;
    case SEEK_CUR:
        base = (off_t)descriptor->position;
        break;
    case SEEK_END:
        base = (off_t)size_of(descriptor->node);
        break;
    default:
        return failed(EINVAL);
    }
    if (descriptor->node->kind == RAMFS_CONSOLE) {
        return failed(ESPIPE);
    }
    if (__builtin_add_overflow(base, offset, &position)) {
        return failed(EOVERFLOW);
    }
    if (position < 0) {
        return failed(EINVAL);
    }
    descriptor->position = (uint64_t)position;
    return position;
}

off_t lseek(int number, off_t offset, int whence) {
    struct descriptor *descriptor = hold(number);
    if (!descriptor) {
        return -1;
    }
    off_t position = seek(descriptor, offset, whence);
    let_go(descriptor);
    return position;
}

int ftruncate(int number, off_t size) {
    struct descriptor *descriptor = hold(number);
    if (!descriptor) {
        return -1;
    }
    struct node *node = descriptor->node;
    int result = 0;
    if (size < 0 || !writes(descriptor) || node->kind != RAMFS_FILE) {
        result = failed(EINVAL);
    } else if ((uint64_t)size > RAMFS_LARGEST) {
        result = failed(EFBIG);
    } else {
        pthread_mutex_lock(&node->mutex);
        content_resize(node, (uint64_t)size);
        pthread_mutex_unlock(&node->mutex);
    }
    let_go(descriptor);
    return result;
}

int close(int number) {
    tree_lock();
    struct descriptor *descriptor = hold(number);
    if (descriptor) {
        tree_close(descriptor->node);
        descriptor->node = 0;
        let_go(descriptor);
    }
    tree_unlock();
    return descriptor ? 0 : -1;
}

int fstat(int number, struct stat *status) {
    struct descriptor *descriptor = hold(number);
    if (!descriptor) {
        return -1;
    }
    node_status(descriptor->node, status);
    let_go(descriptor);
    return 0;
}
