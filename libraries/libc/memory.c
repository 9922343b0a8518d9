/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy, memmove, memset and strlen by words of 8 bytes, in place of the C library's, which go
 * byte by byte. Any context; the time is linear in the size. They read whole aligned words, but
 * none without a byte that they are asked for, so they touch no other page.
 *
 * A copy goes upwards wherever the destination does not begin within the source, since a word is
 * read before anything is stored that could reach it. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A word in memory of any type. */
typedef uint64_t __attribute__((may_alias)) word_t;

#define WORD  sizeof(word_t)
/* Words that a round of the fast loops moves. */
#define ROUND 8

/* A compiler makes no calls of these functions out of their own loops. */
#ifdef __clang__
#define LOOPS __attribute__((no_builtin))
#else
#define LOOPS __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

LOOPS static inline size_t beyond_word(const void *at) {
    return (uintptr_t)at % WORD;
}

LOOPS static inline void copy_round(word_t *to, const word_t *from) {
    word_t words[ROUND];
#pragma GCC unroll 8
    for (int i = 0; i < ROUND; i++) {
        words[i] = from[i];
    }
#pragma GCC unroll 8
    for (int i = 0; i < ROUND; i++) {
        to[i] = words[i];
    }
}

/* From the first byte to the last. `to` is not within the source, but at its beginning. */
LOOPS static inline void copy_up(unsigned char *to, const unsigned char *from, size_t size) {
    if (size >= 2 * WORD) {
        for (; beyond_word(to) != 0; size--) {
            *to++ = *from++;
        }
        word_t *words = (word_t *)to;
        size_t count = size / WORD;
        unsigned shift = 8 * (unsigned)beyond_word(from);
        const word_t *source = (const word_t *)(from - beyond_word(from));
        to += count * WORD;
        from += count * WORD;
        size %= WORD;
        if (shift == 0) {
            for (; count >= ROUND; count -= ROUND, words += ROUND, source += ROUND) {
                copy_round(words, source);
            }
            for (; count > 0; count--) {
                *words++ = *source++;
            }
        } else {
            word_t low = *source++;
            for (; count > 0; count--) {
                word_t high = *source++;
                *words++ = low >> shift | high << (64 - shift);
                low = high;
            }
        }
    }
    for (; size > 0; size--) {
        *to++ = *from++;
    }
}

/* From the last byte to the first. */
LOOPS static inline void copy_down(unsigned char *to, const unsigned char *from, size_t size) {
    to += size;
    from += size;
    if (size >= 2 * WORD && beyond_word(to) == beyond_word(from)) {
        for (; beyond_word(to) != 0; size--) {
            *--to = *--from;
        }
        for (; size >= ROUND * WORD; size -= ROUND * WORD) {
            to -= ROUND * WORD;
            from -= ROUND * WORD;
            copy_round((word_t *)to, (const word_t *)from);
        }
        for (; size >= WORD; size -= WORD) {
            to -= WORD;
            from -= WORD;
            *(word_t *)to = *(const word_t *)from;
        }
    }
    for (; size > 0; size--) {
        *--to = *--from;
    }
}

LOOPS void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    copy_up(to, from, size);
    return to;
}

LOOPS void *memmove(void *to, const void *from, size_t size) {
    if ((uintptr_t)to - (uintptr_t)from < size) {
        copy_down(to, from, size);
    } else {
        copy_up(to, from, size);
    }
    return to;
}

LOOPS void *memset(void *to, int value, size_t size) {
    unsigned char *at = to;
    if (size >= 2 * WORD) {
        for (; beyond_word(at) != 0; size--) {
            *at++ = (unsigned char)value;
        }
        word_t word = (unsigned char)value * 0x0101010101010101u;
        word_t *words = (word_t *)at;
        for (; size >= ROUND * WORD; size -= ROUND * WORD, words += ROUND) {
#pragma GCC unroll 8
            for (int i = 0; i < ROUND; i++) {
                words[i] = word;
            }
        }
        for (; size >= WORD; size -= WORD) {
            *words++ = word;
        }
        at = (unsigned char *)words;
    }
    for (; size > 0; size--) {
        *at++ = (unsigned char)value;
    }
    return to;
}

/* Bit 7 of each byte that is 0, and of none below the first such byte that is not. */
LOOPS static inline uint64_t zeros(uint64_t word) {
    return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

LOOPS size_t strlen(const char *text) {
    size_t before = beyond_word(text);
    const word_t *words = (const word_t *)(text - before);
    /* The bytes before the text are taken as not 0. */
    uint64_t found = zeros(*words | (((uint64_t)1 << 8 * before) - 1));
    while (found == 0) {
        found = zeros(*++words);
    }
    return (size_t)((const char *)words - text) + (size_t)__builtin_ctzll(found) / 8;
}
