/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the words of a text with four threads, each of which has a quarter of it. Nothing here is
 * Polytakt's: the same source builds for Linux, with `cc -pthread main.c`. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, TEXT_MOST = 65536 };

static char text[TEXT_MOST];
static size_t length;
static unsigned words;
static pthread_mutex_t words_lock = PTHREAD_MUTEX_INITIALIZER;

static int begins_word(size_t i) {
    return !isspace((unsigned char)text[i]) && (i == 0 || isspace((unsigned char)text[i - 1]));
}

static void *count(void *argument) {
    size_t part = (size_t)argument, found = 0;
    for (size_t i = length * part / THREADS; i < length * (part + 1) / THREADS; i++) {
        found += begins_word(i);
    }
    pthread_mutex_lock(&words_lock);
    words += found;
    pthread_mutex_unlock(&words_lock);
    return NULL;
}

static FILE *must_open(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: TEXT RESULT\n");
        return 2;
    }
    FILE *input = must_open(argv[1], "r");
    length = fread(text, 1, sizeof text, input);
    fclose(input);

    pthread_t threads[THREADS];
    for (size_t part = 0; part < THREADS; part++) {
        if (pthread_create(&threads[part], NULL, count, (void *)part) != 0) {
            fprintf(stderr, "no thread is left: raise `threads` in system.toml\n");
            return 1;
        }
    }
    for (size_t part = 0; part < THREADS; part++) {
        pthread_join(threads[part], NULL);
    }

    FILE *output = must_open(argv[2], "w");
    fprintf(output, "%u words\n", words);
    fclose(output);
    printf("%u words, counted by %d threads\n", words, THREADS);
    return 0;
}
