/* SPDX-License-Identifier: Apache-2.0 */
/* Division by a number that is known long before: a multiplication, where a division takes ten
 * times as long. */
#ifndef KERNEL_RECIPROCAL_H
#define KERNEL_RECIPROCAL_H

#include <stdint.h>

struct reciprocal {
    uint64_t divisor;
    uint64_t inverse; /* 2^64 / divisor, rounded down; of a power of two one less */
};

/* `divisor` is not 0. */
static inline struct reciprocal reciprocal_of(uint64_t divisor) {
    return (struct reciprocal){.divisor = divisor, .inverse = UINT64_MAX / divisor};
}

/* Returns value / divisor, rounded down, and stores the rest. Exact for all values: the inverse is
 * too small by at most 1, so the product by at most value / 2^64, which is less than 1, and the
 * quotient before its correction by at most 1. */
static inline uint64_t reciprocal_divide(struct reciprocal by, uint64_t value, uint64_t *rest) {
    uint64_t quotient = (uint64_t)((unsigned __int128)value * by.inverse >> 64);
    uint64_t left = value - quotient * by.divisor;
    if (left >= by.divisor) {
        left -= by.divisor;
        quotient++;
    }
    *rest = left;
    return quotient;
}

#endif
