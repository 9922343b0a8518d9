/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: what picolibc's <stdio.h> declares, and what POSIX has beyond it. */
#ifndef LIBRARIES_STDIO_H
#define LIBRARIES_STDIO_H

#include_next <stdio.h>

#include <stdarg.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Read up to a delimiter, which is included, or the end of the file. `*line` is memory of malloc
 * with `*room` bytes, or NULL, and is enlarged. Return the number of bytes; -1: there is none, or
 * errno is EINVAL (null), ENOMEM. */
ssize_t getline(char **__restrict line, size_t *__restrict room, FILE *__restrict stream);
ssize_t getdelim(char **__restrict line, size_t *__restrict room, int delimiter,
                 FILE *__restrict stream);

/* Print to a descriptor. Return the number of bytes, or -1 with the errno of `write`. */
int dprintf(int file, const char *__restrict format, ...) __attribute__((format(printf, 2, 3)));
int vdprintf(int file, const char *__restrict format, va_list arguments);

/* The C library locks a stream for each character; these do, too. */
static inline int getc_unlocked(FILE *stream) {
    return getc(stream);
}

static inline int getchar_unlocked(void) {
    return getchar();
}

static inline int putc_unlocked(int byte, FILE *stream) {
    return putc(byte, stream);
}

static inline int putchar_unlocked(int byte) {
    return putchar(byte);
}

#ifdef __cplusplus
}
#endif

#endif
