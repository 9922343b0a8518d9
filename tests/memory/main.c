/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy, memmove, memset and strlen at all alignments, beside loops over bytes. */
#include <string.h>

#include "check.h"

#define SIZE     200
#define MARGIN   16
#define CAPACITY (SIZE + 4 * MARGIN)

static unsigned char source[CAPACITY] __attribute__((aligned(16)));
static unsigned char result[CAPACITY] __attribute__((aligned(16)));
static unsigned char expected[CAPACITY];
/* Read at run time, so that no call is computed by the compiler. */
static volatile size_t zero;

static void fill(unsigned char *bytes, unsigned seed) {
    for (size_t i = 0; i < CAPACITY; i++) {
        ((volatile unsigned char *)bytes)[i] = (unsigned char)(seed + 7 * i + i / 5);
    }
}

static bool equal(const unsigned char *a, const unsigned char *b) {
    for (size_t i = 0; i < CAPACITY; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

/* Sizes up to two rounds of the fast loops, and one larger. */
static size_t next_size(size_t size) {
    return size < 2 * 64 + 9 ? size + 1 + size / 24 : size < SIZE ? SIZE : SIZE + 1;
}

static void copies(void) {
    bool good = true;
    for (size_t size = 0; size <= SIZE; size = next_size(size)) {
        for (size_t to = MARGIN; to < MARGIN + 8; to++) {
            for (size_t from = MARGIN; from < MARGIN + 8; from++) {
                fill(source, 1);
                fill(result, 100);
                fill(expected, 100);
                for (size_t i = 0; i < size; i++) {
                    ((volatile unsigned char *)expected)[to + i] = source[from + i];
                }
                void *answer = memcpy(result + to, source + from, size + zero);
                good = good && answer == result + to && equal(result, expected);
            }
        }
    }
    CHECK(good);
}

/* To each distance above and below the source, which the destination overlaps. */
static void moves(void) {
    bool good = true;
    for (size_t size = 0; size <= SIZE; size = next_size(size)) {
        for (size_t from = MARGIN + 8; from < MARGIN + 16; from += 3) {
            for (size_t to = from - 17; to <= from + 17; to++) {
                fill(source, 3);
                fill(result, 3);
                fill(expected, 3);
                for (size_t i = 0; i < size; i++) {
                    ((volatile unsigned char *)expected)[to + i] = source[from + i];
                }
                void *answer = memmove(result + to, result + from, size + zero);
                good = good && answer == result + to && equal(result, expected);
            }
        }
    }
    CHECK(good);
}

static void sets(void) {
    bool good = true;
    for (size_t size = 0; size <= SIZE; size = next_size(size)) {
        for (size_t to = MARGIN; to < MARGIN + 8; to++) {
            fill(result, 5);
            fill(expected, 5);
            for (size_t i = 0; i < size; i++) {
                ((volatile unsigned char *)expected)[to + i] = 0x9a;
            }
            void *answer = memset(result + to, 0x59a, size + zero);
            good = good && answer == result + to && equal(result, expected);
        }
    }
    CHECK(good);
}

/* Bytes of 0 before the text, 0x80 and 1 in it, which borrow and carry in a word, and anything
 * behind. */
static void lengths(void) {
    bool good = true;
    for (size_t length = 0; length < 40; length++) {
        for (size_t at = MARGIN; at < MARGIN + 8; at++) {
            for (unsigned behind = 0; behind < 3; behind++) {
                for (size_t i = 0; i < CAPACITY; i++) {
                    ((volatile unsigned char *)source)[i] = i < at            ? 0
                                                            : i < at + length ? (i % 2 ? 0x80 : 1)
                                                            : behind          ? 2 - behind
                                                                              : 0xff;
                }
                ((volatile unsigned char *)source)[at + length] = 0;
                good = good && strlen((const char *)source + at + zero) == length;
            }
        }
    }
    CHECK(good);
}

void main_task(intptr_t argument) {
    (void)argument;
    copies();
    moves();
    sets();
    lengths();
    check_end();
}
