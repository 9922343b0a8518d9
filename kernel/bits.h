/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of a word. */
#ifndef KERNEL_BITS_H
#define KERNEL_BITS_H

#include <stdint.h>

#ifdef __riscv_zbb

/* The number of the lowest, of the highest bit that is set, of a word that is not 0. */
static inline unsigned bits_lowest(uint64_t bits) {
    return (unsigned)__builtin_ctzl(bits);
}

static inline unsigned bits_highest(uint64_t bits) {
    return 63u - (unsigned)__builtin_clzl(bits);
}

#else

/* The 64 windows of six bits in this factor are all different, so the highest six of its product
 * with a power of two tell which power (Leiserson, Prokop and Randall, 1998). */
#define BITS_FACTOR 0x03f79d71b4cb0a89u

extern const uint8_t bits_of_window[64];

/* The number of the lowest bit that is set, of a word that is not 0. The compiler's own way is a
 * call of 40 instructions where the machine is not known to have Zbb. */
static inline unsigned bits_lowest(uint64_t bits) {
    return bits_of_window[(bits & -bits) * BITS_FACTOR >> 58];
}

/* The number of the highest bit that is set, of a word that is not 0. */
static inline unsigned bits_highest(uint64_t bits) {
    for (unsigned width = 1; width < 64; width *= 2) {
        bits |= bits >> width; /* all below it are set, too */
    }
    return bits_lowest(bits ^ bits >> 1);
}

#endif

#endif
