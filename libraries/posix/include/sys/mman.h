/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by pages. A mapping is memory of the heap; of a file it is a copy, so what a program
 * stores there does not go to the file. */
#ifndef LIBRARIES_SYS_MMAN_H
#define LIBRARIES_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROT_NONE  0
#define PROT_READ  1
#define PROT_WRITE 2
#define PROT_EXEC  4

#define MAP_SHARED    1
#define MAP_PRIVATE   2
#define MAP_FIXED     16
#define MAP_ANONYMOUS 32
#define MAP_ANON      MAP_ANONYMOUS
#define MAP_NORESERVE 0x4000
#define MAP_POPULATE  0x8000
#define MAP_FAILED    ((void *)-1)

#define MCL_CURRENT 1
#define MCL_FUTURE  2

#define MADV_NORMAL     0
#define MADV_RANDOM     1
#define MADV_SEQUENTIAL 2
#define MADV_WILLNEED   3
#define MADV_DONTNEED   4

/* Maps zeros (MAP_ANONYMOUS), or a file. `address` is ignored. Errors: EINVAL: no length, neither
 * or both of MAP_SHARED and MAP_PRIVATE, the offset is not one of a page. ENOTSUP: MAP_FIXED,
 * PROT_EXEC, writing to a shared file. EBADF: no file that can be read. ENOMEM. */
void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);

/* Unmaps a whole mapping. Errors: EINVAL: there is none with this address and length. */
int munmap(void *address, size_t length);

/* All memory stays where it is, and advice is not needed: these do nothing. Errors of mlockall:
 * EINVAL: no flag, or an unknown one. */
int mlock(const void *address, size_t length);
int munlock(const void *address, size_t length);
int mlockall(int flags);
int munlockall(void);
int madvise(void *address, size_t length, int advice);

#ifdef __cplusplus
}
#endif

#endif
