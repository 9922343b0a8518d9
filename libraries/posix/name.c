/* SPDX-License-Identifier: Apache-2.0 */
/* Names of threads. */
#include <errno.h>
#include <string.h>

#include "thread.h"

enum { NAME = 16 }; /* as on Linux, with the end */

/* Guarded by the thread's guard, as the thread is. */
static struct {
    uint32_t generation; /* whose name it is: an entry of the pool has one thread after the other */
    char text[NAME];
} names[TAKT_POSIX_THREADS];

int pthread_setname_np(pthread_t handle, const char *name) {
    size_t length = strnlen(name, NAME);
    if (length == NAME) {
        return ERANGE;
    }
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    size_t index = (size_t)(thread - takt_posix_threads);
    names[index].generation = thread->generation;
    memcpy(names[index].text, name, length + 1);
    thread_unlock(thread);
    return 0;
}

/* A thread without a name has that of the program. */
int pthread_getname_np(pthread_t handle, char *name, size_t size) {
    static const char program[][TAKT_POSIX_ARGUMENT_SIZE] = {TAKT_POSIX_ARGUMENTS};
    char text[NAME] = "";
    struct thread *thread = thread_lock(handle);
    if (!thread) {
        return ESRCH;
    }
    size_t index = (size_t)(thread - takt_posix_threads);
    if (names[index].generation == thread->generation && names[index].text[0]) {
        memcpy(text, names[index].text, NAME);
    } else {
        memcpy(text, program[0], strnlen(program[0], NAME - 1));
    }
    thread_unlock(thread);
    if (size <= strlen(text)) {
        return ERANGE;
    }
    strcpy(name, text);
    return 0;
}
