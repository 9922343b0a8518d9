/* SPDX-License-Identifier: Apache-2.0 */
/* Macros of the on-target tests: checks that report their place, and an end that counts the
 * failures. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdio.h>

#include <takt/takt.h>

static unsigned check_failures, check_count;

/* Notes the result of a check; may be called on any core. */
static inline void check_note(bool holds, const char *what, const char *file, int line) {
    __atomic_fetch_add(&check_count, 1, __ATOMIC_RELAXED);
    if (!holds) {
        __atomic_fetch_add(&check_failures, 1, __ATOMIC_RELAXED);
        printf("%s:%d: failed: %s\n", file, line, what);
    }
}

#define CHECK(condition) check_note(condition, #condition, __FILE__, __LINE__)

static inline void check_is(long actual, long expected, const char *what, const char *file,
                            int line) {
    check_note(actual == expected, what, file, line);
    if (actual != expected) {
        printf("    is %ld, expected %ld\n", actual, expected);
    }
}

#define CHECK_IS(actual, expected) check_is(actual, expected, #actual, __FILE__, __LINE__)

/* Accepts any result of a call whose result must be used. */
static inline void any_result(takt_error result) {
    (void)result;
}

/* Ends the run: exit code 0 if every check passed, otherwise 4. */
TAKT_NO_RETURN static inline void check_end(void) {
    unsigned failures = __atomic_load_n(&check_failures, __ATOMIC_RELAXED);
    printf("%u checks, %u failed\n", __atomic_load_n(&check_count, __ATOMIC_RELAXED), failures);
    takt_system_shutdown(failures == 0 ? 0 : 4);
}

#endif
