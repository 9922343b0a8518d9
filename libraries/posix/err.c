/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about errors, as the BSDs have them. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <takt/posix_system.h>

static const char program[][TAKT_POSIX_ARGUMENT_SIZE] = {TAKT_POSIX_ARGUMENTS};

/* Prints the program's name, the text, and what the error number means; 0: no error. */
static void message(int error, const char *format, va_list arguments) {
    fprintf(stderr, "%s: ", program[0]);
    if (format) {
        vfprintf(stderr, format, arguments);
    }
    if (error) {
        fprintf(stderr, "%s%s", format ? ": " : "", strerror(error));
    }
    fputc('\n', stderr);
}

void vwarn(const char *format, va_list arguments) {
    message(errno, format, arguments);
}

void vwarnx(const char *format, va_list arguments) {
    message(0, format, arguments);
}

void verr(int code, const char *format, va_list arguments) {
    vwarn(format, arguments);
    exit(code);
}

void verrx(int code, const char *format, va_list arguments) {
    vwarnx(format, arguments);
    exit(code);
}

void warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vwarn(format, arguments);
    va_end(arguments);
}

void warnx(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vwarnx(format, arguments);
    va_end(arguments);
}

void err(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verr(code, format, arguments);
}

void errx(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verrx(code, format, arguments);
}
