/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARIES_POSIX_FAILED_H
#define LIBRARIES_POSIX_FAILED_H

#include <errno.h>

/* Sets errno and returns -1. */
static inline int failed(int error) {
    errno = error;
    return -1;
}

#endif
