/* SPDX-License-Identifier: Apache-2.0 */
/* The open streams, whose buffers exit writes: picolibc has no list of them. The linker puts these
 * functions in the place of those with the same names (--wrap). */
#include <stdio.h>

#include "descriptor.h"

FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_fdopen(int number, const char *mode);
FILE *__real_freopen(const char *path, const char *mode, FILE *stream);
int __real_fclose(FILE *stream);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fdopen(int number, const char *mode);
FILE *__wrap_freopen(const char *path, const char *mode, FILE *stream);
int __wrap_fclose(FILE *stream);

extern void (*takt_ramfs_streams_flush)(void); /* called by exit, unless it is NULL */
void (*takt_ramfs_streams_flush)(void);

/* The stream on each descriptor; guarded by the mutex, which is locked before a stream's lock. */
static FILE *streams[DESCRIPTORS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Writes what the streams hold back. A thread that closes one meanwhile waits. */
static void streams_flush(void) {
    pthread_mutex_lock(&mutex);
    for (int number = 0; number < DESCRIPTORS; number++) {
        if (streams[number]) {
            fflush(streams[number]);
        }
    }
    pthread_mutex_unlock(&mutex);
}

static FILE *stream_add(FILE *stream) {
    int number = stream ? fileno(stream) : -1;
    if (number >= 0 && number < DESCRIPTORS) {
        pthread_mutex_lock(&mutex);
        streams[number] = stream;
        takt_ramfs_streams_flush = streams_flush;
        pthread_mutex_unlock(&mutex);
    }
    return stream;
}

static void stream_remove(FILE *stream) {
    pthread_mutex_lock(&mutex);
    for (int number = 0; number < DESCRIPTORS; number++) {
        if (streams[number] == stream) {
            streams[number] = 0;
        }
    }
    pthread_mutex_unlock(&mutex);
}

FILE *__wrap_fopen(const char *path, const char *mode) {
    return stream_add(__real_fopen(path, mode));
}

FILE *__wrap_fdopen(int number, const char *mode) {
    return stream_add(__real_fdopen(number, mode));
}

FILE *__wrap_freopen(const char *path, const char *mode, FILE *stream) {
    stream_remove(stream);
    return stream_add(__real_freopen(path, mode, stream));
}

int __wrap_fclose(FILE *stream) {
    stream_remove(stream);
    return __real_fclose(stream);
}
