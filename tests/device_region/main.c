/* SPDX-License-Identifier: Apache-2.0 */
/* A device region is where its symbol says, on every core: words that one task writes are those
 * that another one reads, from the first to the last of both pages. */
#include "check.h"

enum { WORDS = 1024 };

static volatile uint64_t *word(int number) {
    return (volatile uint64_t *)takt_device_mailbox + number;
}

void write_words(intptr_t unused) {
    for (int number = 1; number < WORDS; number++) {
        *word(number) = 1000u + (uint64_t)number;
    }
    __asm__ volatile("fence o, o" ::
                         : "memory"); /* the others before the first, which is waited for */
    *word(0) = 1;
}

void read_words(intptr_t unused) {
    while (*word(0) != 1) {
    }
    __asm__ volatile("fence i, i" ::: "memory");
    for (int number = 1; number < WORDS; number++) {
        CHECK_IS((long)*word(number), 1000 + number);
    }
    check_end();
}
