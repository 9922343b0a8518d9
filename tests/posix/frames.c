/* SPDX-License-Identifier: Apache-2.0 */
/* Large frames and arrays of variable length, as programs for Linux have them; then one that no
 * stack has room for. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

__attribute__((noinline)) static size_t large(const char *text) {
    char copy[240000];
    strcpy(copy, text);
    memset(copy + strlen(text), 'x', sizeof copy - strlen(text) - 1);
    copy[sizeof copy - 1] = 0;
    return strlen(copy);
}

__attribute__((noinline)) static size_t variable(size_t size) {
    char bytes[size];
    memset(bytes, 1, size);
    char *more = __builtin_alloca(size);
    memcpy(more, bytes, size);
    return (size_t)more[size - 1] + size;
}

/* The first byte that is written lies far below the guard; the compiler's own touches come before.
 */
__attribute__((noinline)) static void overflow(size_t size) {
    volatile char bytes[size];
    bytes[0] = 1;
    printf("not caught: %d\n", bytes[0]);
}

static void *run(void *argument) {
    CHECK_IS(large("a text"), 239999);
    CHECK_IS(variable(9000), 9001);
    return argument;
}

int main(int count, char **arguments) {
    pthread_t thread;
    CHECK_IS(pthread_create(&thread, 0, run, 0), 0);
    CHECK_IS(pthread_join(thread, 0), 0);
    run(0);
    printf("%u checks, %u failed\n", check_count, check_failures);
    if (count > 1) {
        overflow((size_t)atoi(arguments[1]));
    }
    check_end();
}
