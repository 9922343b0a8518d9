/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations on one and two bytes, which GCC calls and whose library the toolchain lacks.
 * Each repeats a compare-and-swap of the aligned word around the bytes, sequentially consistent,
 * until no other core has written the word meanwhile: without locks, and without a bound under
 * contention. */
#include <stdbool.h>
#include <stdint.h>

/* The word around some bytes, and where they are in it. */
struct place {
    uint32_t *word;
    unsigned shift;
    uint32_t mask;
};

static inline struct place place_of(volatile void *pointer, uint32_t mask) {
    uintptr_t at = (uintptr_t)pointer;
    unsigned shift = at % 4 * 8;
    return (struct place){(uint32_t *)(at & ~(uintptr_t)3), shift, mask << shift};
}

static inline uint32_t bytes_of(struct place place, uint32_t word) {
    return (word & place.mask) >> place.shift;
}

/* Replaces the bytes in a word that was read; returns false, with the word read again, if the word
 * has changed. */
static inline bool bytes_replace(struct place place, uint32_t *word, uint32_t bytes) {
    uint32_t wanted = (*word & ~place.mask) | ((bytes << place.shift) & place.mask);
    /* A failure of a weaker order would take the release from the success, with GCC up to 12. */
    return __atomic_compare_exchange_n(place.word, word, wanted, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* Defines a function whose result is the former value, and whose name is GCC's. `value` is given,
 * and `old` is the former value. */
#define FETCH(type, size, name, new_value)                                                         \
    type takt_atomic_##name##_##size(volatile void *pointer, type value,                           \
                                     int order) __asm__("__atomic_" #name "_" #size);              \
    type takt_atomic_##name##_##size(volatile void *pointer, type value, int order) {              \
        struct place place = place_of(pointer, (type)-1);                                          \
        uint32_t word = __atomic_load_n(place.word, __ATOMIC_RELAXED), old;                        \
        do {                                                                                       \
            old = bytes_of(place, word);                                                           \
        } while (!bytes_replace(place, &word, (uint32_t)(new_value)));                             \
        return (type)old;                                                                          \
    }

/* Defines the compare-and-swap. It fails only if the bytes are others than expected. */
#define COMPARE_EXCHANGE(type, size)                                                               \
    bool takt_atomic_compare_exchange_##size(                                                      \
        volatile void *pointer, void *expected, type value, int success,                           \
        int failure) __asm__("__atomic_compare_exchange_" #size);                                  \
    bool takt_atomic_compare_exchange_##size(volatile void *pointer, void *expected, type value,   \
                                             int success, int failure) {                           \
        struct place place = place_of(pointer, (type)-1);                                          \
        uint32_t word = __atomic_load_n(place.word, __ATOMIC_SEQ_CST);                             \
        while (bytes_of(place, word) == *(type *)expected) {                                       \
            if (bytes_replace(place, &word, value)) {                                              \
                return true;                                                                       \
            }                                                                                      \
        }                                                                                          \
        *(type *)expected = (type)bytes_of(place, word);                                           \
        return false;                                                                              \
    }

#define ALL(type, size)                                                                            \
    FETCH(type, size, exchange, value)                                                             \
    FETCH(type, size, fetch_add, old + value)                                                      \
    FETCH(type, size, fetch_sub, old - value)                                                      \
    FETCH(type, size, fetch_and, old &value)                                                       \
    FETCH(type, size, fetch_or, old | value)                                                       \
    FETCH(type, size, fetch_xor, old ^ value)                                                      \
    FETCH(type, size, fetch_nand, ~(old & value))                                                  \
    COMPARE_EXCHANGE(type, size)

ALL(uint8_t, 1)
ALL(uint16_t, 2)
