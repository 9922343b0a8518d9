/* SPDX-License-Identifier: Apache-2.0 */
/* Calls main with its arguments, and ends the run when the program ends. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <takt/posix_system.h>
#include <takt/system.h>

/* The file system's; NULL: the program has opened no stream. */
extern void (*takt_ramfs_streams_flush)(void);

extern int main(int argc, char **argv);

/* A function of picolibc that exit calls if the program has used atexit. */
extern void __call_exitprocs(int code, void *image) __attribute__((weak));

/* What runs before main: static objects of C++, and functions with the attribute `constructor`. */
typedef void (*constructor)(void);
extern const constructor takt_constructors[], takt_constructors_end[];

/* The arguments are writable, because a program may change them. */
static char texts[][TAKT_POSIX_ARGUMENT_SIZE] = {TAKT_POSIX_ARGUMENTS};
static char *arguments[sizeof texts / sizeof texts[0] + 1];

void *program_run(void *unused) {
    int count = (int)(sizeof texts / sizeof texts[0]);
    for (int index = 0; index < count; index++) {
        arguments[index] = texts[index];
    }
    for (const constructor *next = takt_constructors; next < takt_constructors_end; next++) {
        (*next)();
    }
    exit(main(count, arguments));
}

/* Replaces picolibc's exit, which needs a linker script with sections of destructors. */
void exit(int code) {
    if (__call_exitprocs) {
        __call_exitprocs(code, 0);
    }
    if (takt_ramfs_streams_flush) {
        takt_ramfs_streams_flush();
    }
    fflush(stdout);
    _exit(code);
}

void _exit(int code) {
    takt_system_shutdown(code & 0xff);
}

void abort(void) {
    fflush(stdout);
    takt_panic("the program has called abort");
}
