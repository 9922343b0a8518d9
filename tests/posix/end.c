/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which a program ends; the argument chooses one. A function registered with atexit
 * prints first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void at_end(void) {
    puts("said at the end");
}

static void *end_in_thread(void *argument) {
    (void)argument;
    exit(6);
}

int main(int count, char **arguments) {
    (void)count;
    pthread_t thread;
    atexit(at_end);
    if (strcmp(arguments[1], "thread") == 0) {
        pthread_create(&thread, 0, end_in_thread, 0);
        pthread_join(thread, 0);
        return 1;
    }
    if (strcmp(arguments[1], "abort") == 0) {
        FILE *file = fopen("written", "w");
        fputs("before the end", file);
        fclose(file);
        abort();
    }
    return 5;
}
