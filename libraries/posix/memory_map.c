/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by pages. There is no paging: a mapping is memory of the heap, and has a copy of its file.
 * All memory stays where it is. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "failed.h"

enum { PAGE = 4096 };

/* The mappings, linked; guarded by the mutex. */
static struct mapping {
    struct mapping *next;
    void *address;
    size_t length;
} * mappings;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns 0, or the error of a request for a mapping that there cannot be. */
static int error_of(size_t length, int protection, int flags, off_t offset) {
    int kind = flags & (MAP_SHARED | MAP_PRIVATE);
    bool shares_file = kind == MAP_SHARED && !(flags & MAP_ANONYMOUS);
    if (length == 0 || (kind != MAP_SHARED && kind != MAP_PRIVATE) || offset % PAGE != 0) {
        return EINVAL;
    }
    if (flags & MAP_FIXED || protection & PROT_EXEC || (shares_file && protection & PROT_WRITE)) {
        return ENOTSUP;
    }
    return length > (size_t)INTPTR_MAX - PAGE ? ENOMEM : 0;
}

/* Copies the file's part; what lies behind its end stays 0. Returns false, with errno set, if the
 * file cannot be read. */
static bool copy(char *to, size_t length, int file, off_t offset) {
    ssize_t done = 1;
    for (size_t at = 0; at < length && done > 0; at += (size_t)done) { /* once, and at the end */
        done = pread(file, to + at, length - at, offset + (off_t)at);
    }
    return done >= 0;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    int error = error_of(length, protection, flags, offset);
    if (error) {
        errno = error;
        return MAP_FAILED;
    }
    size_t size = (length + PAGE - 1) / PAGE * PAGE;
    struct mapping *mapping = malloc(sizeof *mapping);
    char *memory = aligned_alloc(PAGE, size);
    if (!mapping || !memory) {
        errno = ENOMEM;
        goto failure;
    }
    memset(memory, 0, size);
    if (!(flags & MAP_ANONYMOUS) && !copy(memory, length, file, offset)) {
        goto failure;
    }
    pthread_mutex_lock(&mutex);
    *mapping = (struct mapping){mappings, memory, size};
    mappings = mapping;
    pthread_mutex_unlock(&mutex);
    return memory;

failure:
    free(memory);
    free(mapping);
    return MAP_FAILED;
}

/* Bound: the number of mappings. */
int munmap(void *address, size_t length) {
    size_t size = length <= SIZE_MAX - PAGE ? (length + PAGE - 1) / PAGE * PAGE : 0;
    struct mapping *found = 0;
    pthread_mutex_lock(&mutex);
    for (struct mapping **it = &mappings; *it; it = &(*it)->next) {
        if ((*it)->address == address && (*it)->length == size) {
            found = *it;
            *it = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&mutex);
    if (!found) {
        return failed(EINVAL);
    }
    free(address);
    free(found);
    return 0;
}

int mlock(const void *address, size_t length) {
    return 0;
}

int munlock(const void *address, size_t length) {
    return 0;
}

int mlockall(int flags) {
    return flags == 0 || flags & ~(MCL_CURRENT | MCL_FUTURE) ? failed(EINVAL) : 0;
}

int munlockall(void) {
    return 0;
}

int madvise(void *address, size_t length, int advice) {
    return 0;
}
