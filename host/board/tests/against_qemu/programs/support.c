// SPDX-License-Identifier: Apache-2.0
// What picolibc asks of a machine that has no devices but the test finisher: the output is counted
// and forgotten.
#include <stdio.h>

static unsigned char sink;

static int put(char c, FILE *file) {
    (void)file;
    sink ^= (unsigned char)c;
    return c;
}

static FILE nowhere = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdin = &nowhere;
FILE *const stdout = &nowhere;
FILE *const stderr = &nowhere;

_Noreturn void _exit(int code) {
    volatile unsigned *finisher = (volatile unsigned *)0x100000;

    *finisher = code == 0 ? 0x5555 : (unsigned)code << 16 | 0x3333;
    for (;;) {
    }
}
