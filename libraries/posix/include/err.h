/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to stderr: the program's name, the text, and, without an `x` in the name, what errno
 * means. Those of err end the program with this exit status. */
#ifndef LIBRARIES_ERR_H
#define LIBRARIES_ERR_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warnx(const char *format, ...) __attribute__((format(printf, 1, 2)));
void err(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void errx(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void vwarn(const char *format, va_list arguments);
void vwarnx(const char *format, va_list arguments);
void verr(int code, const char *format, va_list arguments) __attribute__((noreturn));
void verrx(int code, const char *format, va_list arguments) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
