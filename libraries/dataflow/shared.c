/* SPDX-License-Identifier: Apache-2.0 */
#include "transport.h"

struct shared_core dataflow_shared[CORES_MAX];

/* Words of any type. */
typedef uint64_t __attribute__((may_alias)) long_t;
typedef uint32_t __attribute__((may_alias)) short_t;

enum { LINES = 8, LONGS = 8 }; /* lines that are copied together, and words of a line */

/* Copies eight lines: the first word of each, so that the requests for all of them are under way,
 * and then the others. */
static void copy_lines(long_t *to, const long_t *from) {
    for (uint32_t line = 0; line < LINES; line++) {
        to[LONGS * line] = from[LONGS * line];
    }
    for (uint32_t line = 0; line < LINES; line++, to += LONGS, from += LONGS) {
        long_t a = from[1], b = from[2], c = from[3], d = from[4];
        long_t e = from[5], f = from[6], g = from[7];
        to[1] = a, to[2] = b, to[3] = c, to[4] = d;
        to[5] = e, to[6] = f, to[7] = g;
    }
}

void shared_copy(void *to, const void *from, uint64_t length) {
    if (((uintptr_t)to | (uintptr_t)from) % sizeof(long_t) == 0) {
        const uint64_t many = LINES * LONGS * sizeof(long_t);
        for (; length >= many; length -= many) {
            copy_lines(to, from);
            to = (uint8_t *)to + many;
            from = (const uint8_t *)from + many;
        }
        for (; length >= sizeof(long_t); length -= sizeof(long_t)) {
            *(long_t *)to = *(const long_t *)from;
            to = (uint8_t *)to + sizeof(long_t);
            from = (const uint8_t *)from + sizeof(long_t);
        }
    }
    for (; length != 0; length -= sizeof(short_t)) {
        *(short_t *)to = *(const short_t *)from;
        to = (uint8_t *)to + sizeof(short_t);
        from = (const uint8_t *)from + sizeof(short_t);
    }
}
