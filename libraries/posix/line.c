/* SPDX-License-Identifier: Apache-2.0 */
/* What POSIX adds to the streams of the C library: whole lines, and printing to a descriptor. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "failed.h"

/* Makes room for a byte more, and the end. */
static bool extend(char **line, size_t *room, size_t used) {
    if (used + 2 <= *room) {
        return true;
    }
    size_t size = *room < 64 ? 128 : 2 * *room;
    char *larger = realloc(*line, size);
    if (!larger) {
        return false; /* errno is ENOMEM */
    }
    *line = larger;
    *room = size;
    return true;
}

ssize_t getdelim(char **restrict line, size_t *restrict room, int delimiter,
                 FILE *restrict stream) {
    if (!line || !room) {
        return failed(EINVAL);
    }
    *room = *line ? *room : 0;
    size_t used = 0;
    int byte = 0;
    do {
        if (used > (size_t)INTPTR_MAX - 2) {
            return failed(EOVERFLOW);
        }
        if (!extend(line, room, used)) {
            return -1;
        }
        byte = getc(stream);
        if (byte != EOF) {
            (*line)[used++] = (char)byte;
        }
    } while (byte != EOF && byte != delimiter);
    (*line)[used] = 0;
    return used > 0 ? (ssize_t)used : -1;
}

ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream) {
    return getdelim(line, room, '\n', stream);
}

int vdprintf(int file, const char *restrict format, va_list arguments) {
    char *text = 0;
    int size = vasprintf(&text, format, arguments);
    if (size < 0) {
        return -1;
    }
    ssize_t done = write(file, text, (size_t)size);
    free(text);
    return (int)done;
}

int dprintf(int file, const char *restrict format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vdprintf(file, format, arguments);
    va_end(arguments);
    return size;
}
