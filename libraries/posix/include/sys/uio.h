/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARIES_SYS_UIO_H
#define LIBRARIES_SYS_UIO_H

#include <limits.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef IOV_MAX
#define IOV_MAX 1024
#endif

struct iovec {
    void *iov_base;
    size_t iov_len;
};

/* Read into, and write from, several places one after the other. Threads that use the descriptor at
 * the same time may come between two places. Errors: those of read and write; EINVAL: no place, or
 * more than IOV_MAX. */
ssize_t readv(int file, const struct iovec *places, int count);
ssize_t writev(int file, const struct iovec *places, int count);

#ifdef __cplusplus
}
#endif

#endif
