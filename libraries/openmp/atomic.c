/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations on 16 bytes, which GCC calls and whose library the toolchain lacks. One lock
 * guards all of them. */
#include <stdbool.h>

#include "gomp.h"

typedef unsigned __int128 large;

/* Replaces the value, and returns the former one; `value` is given, `old` is the former one. */
#define FETCH(name, new_value)                                                                     \
    large takt_openmp_##name(volatile large *pointer, large value,                                 \
                             int order) __asm__("__atomic_" #name "_16");                          \
    large takt_openmp_##name(volatile large *pointer, large value, int order) {                    \
        GOMP_atomic_start();                                                                       \
        large old = *pointer;                                                                      \
        *pointer = (new_value);                                                                    \
        GOMP_atomic_end();                                                                         \
        return old;                                                                                \
    }

FETCH(exchange, value)
FETCH(fetch_add, old + value)
FETCH(fetch_sub, old - value)
FETCH(fetch_and, old &value)
FETCH(fetch_or, old | value)
FETCH(fetch_xor, old ^ value)
FETCH(fetch_nand, ~(old &value))

large takt_openmp_load(volatile large *pointer, int order) __asm__("__atomic_load_16");
large takt_openmp_load(volatile large *pointer, int order) {
    return takt_openmp_fetch_add(pointer, 0, order);
}

void takt_openmp_store(volatile large *pointer, large value,
                       int order) __asm__("__atomic_store_16");
void takt_openmp_store(volatile large *pointer, large value, int order) {
    takt_openmp_exchange(pointer, value, order);
}

bool takt_openmp_compare_exchange(volatile large *pointer, large *expected, large value,
                                  int success, int failure) __asm__("__atomic_compare_exchange_16");
bool takt_openmp_compare_exchange(volatile large *pointer, large *expected, large value,
                                  int success, int failure) {
    GOMP_atomic_start();
    large old = *pointer;
    bool same = old == *expected;
    *pointer = same ? value : old;
    GOMP_atomic_end();
    *expected = old;
    return same;
}
