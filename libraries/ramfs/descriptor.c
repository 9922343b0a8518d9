/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors refer to open files. These functions read, write, seek in and close them. */
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <takt/system.h>

/* The node that is open at the start; `opened` never becomes 0, so it is never freed. */
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

/* Returns the descriptor with its mutex locked; NULL, with errno set, if it is not open. */
static struct descriptor *descriptor_lock(int number) {
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

static void descriptor_unlock(struct descriptor *descriptor) {
    pthread_mutex_unlock(&descriptor->mutex);
}

static bool descriptor_reads(const struct descriptor *descriptor) {
    return (descriptor->flags & O_ACCMODE) != O_WRONLY;
}

static bool descriptor_writes(const struct descriptor *descriptor) {
    return (descriptor->flags & O_ACCMODE) != O_RDONLY;
}

static ssize_t descriptor_read(struct descriptor *descriptor, void *buffer, size_t count) {
    struct node *node = descriptor->node;
    if (!descriptor_reads(descriptor)) {
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
    struct descriptor *descriptor = descriptor_lock(number);
    if (!descriptor) {
        return -1;
    }
    ssize_t done =
        count > (size_t)INTPTR_MAX ? failed(EINVAL) : descriptor_read(descriptor, buffer, count);
    descriptor_unlock(descriptor);
    return done;
}

/* The kernel drops and counts bytes that do not fit into the console's ring. */
static void write_console(const char *text, size_t count) {
    while (count > 0) { /* once for each piece */
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

static ssize_t descriptor_write(struct descriptor *descriptor, const void *buffer, size_t count) {
    if (count > (size_t)INTPTR_MAX) {
        return failed(EINVAL);
    }
    if (!descriptor_writes(descriptor)) {
        return failed(EBADF);
    }
    if (descriptor->node->kind == RAMFS_CONSOLE) {
        write_console(buffer, count);
        return (ssize_t)count;
    }
    return write_file(descriptor, buffer, count);
}

ssize_t write(int number, const void *buffer, size_t count) {
    struct descriptor *descriptor = descriptor_lock(number);
    if (!descriptor) {
        return -1;
    }
    ssize_t done = descriptor_write(descriptor, buffer, count);
    descriptor_unlock(descriptor);
    return done;
}

/* Locks a descriptor to read or write at another position than its own, which the caller restores.
 * NULL, with errno set: there can be no such position. */
static struct descriptor *descriptor_lock_at(int number, off_t offset, uint64_t *position) {
    struct descriptor *descriptor = descriptor_lock(number);
    if (!descriptor) {
        return 0;
    }
    if (offset < 0 || descriptor->node->kind == RAMFS_CONSOLE) {
        errno = offset < 0 ? EINVAL : ESPIPE;
        descriptor_unlock(descriptor);
        return 0;
    }
    *position = descriptor->position;
    descriptor->position = (uint64_t)offset;
    return descriptor;
}

ssize_t pread(int number, void *buffer, size_t count, off_t offset) {
    uint64_t position;
    struct descriptor *descriptor = descriptor_lock_at(number, offset, &position);
    if (!descriptor) {
        return -1;
    }
    ssize_t done =
        count > (size_t)INTPTR_MAX ? failed(EINVAL) : descriptor_read(descriptor, buffer, count);
    descriptor->position = position;
    descriptor_unlock(descriptor);
    return done;
}

/* With O_APPEND the bytes go to the end of the file, as on Linux. */
ssize_t pwrite(int number, const void *buffer, size_t count, off_t offset) {
    uint64_t position;
    struct descriptor *descriptor = descriptor_lock_at(number, offset, &position);
    if (!descriptor) {
        return -1;
    }
    ssize_t done = descriptor_write(descriptor, buffer, count);
    descriptor->position = position;
    descriptor_unlock(descriptor);
    return done;
}

/* Reads or writes the places, up to the first one that is not done whole. */
static ssize_t move_places(int number, const struct iovec *places, int count, bool writes) {
    ssize_t sum = 0;
    if (count <= 0 || count > IOV_MAX) {
        return failed(EINVAL);
    }
    for (int index = 0; index < count; index++) {
        const struct iovec *place = &places[index];
        ssize_t done = writes ? write(number, place->iov_base, place->iov_len)
                              : read(number, place->iov_base, place->iov_len);
        if (done < 0) {
            return sum > 0 ? sum : -1;
        }
        sum += done;
        if ((size_t)done < place->iov_len) {
            break;
        }
    }
    return sum;
}

ssize_t readv(int number, const struct iovec *places, int count) {
    return move_places(number, places, count, false);
}

ssize_t writev(int number, const struct iovec *places, int count) {
    return move_places(number, places, count, true);
}

static uint64_t node_size(struct node *node) {
    pthread_mutex_lock(&node->mutex);
    uint64_t size = node->size;
    pthread_mutex_unlock(&node->mutex);
    return size;
}

static off_t descriptor_seek(struct descriptor *descriptor, off_t offset, int whence) {
    off_t base, position;
    switch (whence) {
    case SEEK_SET:
        base = 0;
        break;
    case SEEK_CUR:
        base = (off_t)descriptor->position;
        break;
    case SEEK_END:
        base = (off_t)node_size(descriptor->node);
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
    struct descriptor *descriptor = descriptor_lock(number);
    if (!descriptor) {
        return -1;
    }
    off_t position = descriptor_seek(descriptor, offset, whence);
    descriptor_unlock(descriptor);
    return position;
}

int ftruncate(int number, off_t size) {
    struct descriptor *descriptor = descriptor_lock(number);
    if (!descriptor) {
        return -1;
    }
    struct node *node = descriptor->node;
    int result = 0;
    if (size < 0 || !descriptor_writes(descriptor) || node->kind != RAMFS_FILE) {
        result = failed(EINVAL);
    } else if ((uint64_t)size > RAMFS_LARGEST) {
        result = failed(EFBIG);
    } else {
        pthread_mutex_lock(&node->mutex);
        content_resize(node, (uint64_t)size);
        pthread_mutex_unlock(&node->mutex);
    }
    descriptor_unlock(descriptor);
    return result;
}

/* Returns 0 if the descriptor is open: what is written is in its file at once. */
int fsync(int number) {
    struct descriptor *descriptor = descriptor_lock(number);
    if (!descriptor) {
        return -1;
    }
    descriptor_unlock(descriptor);
    return 0;
}

int fdatasync(int number) {
    return fsync(number);
}

int isatty(int number) {
    struct descriptor *descriptor = descriptor_lock(number);
    if (!descriptor) {
        return 0;
    }
    bool is_console = descriptor->node->kind == RAMFS_CONSOLE;
    descriptor_unlock(descriptor);
    if (!is_console) {
        errno = ENOTTY;
    }
    return is_console;
}

int close(int number) {
    tree_lock();
    struct descriptor *descriptor = descriptor_lock(number);
    if (descriptor) {
        tree_close(descriptor->node);
        descriptor->node = 0;
        descriptor_unlock(descriptor);
    }
    tree_unlock();
    return descriptor ? 0 : -1;
}

int fstat(int number, struct stat *status) {
    struct descriptor *descriptor = descriptor_lock(number);
    if (!descriptor) {
        return -1;
    }
    node_status(descriptor->node, status);
    descriptor_unlock(descriptor);
    return 0;
}
