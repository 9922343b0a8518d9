/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations on values of sizes for which the machine has no instruction: by OpenMP's
 * constructs, and by those of C. */
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>

#include "constructs.h"

enum { ROUNDS = 8 };

/* Neighbours in one word: none may spoil another. */
static struct {
    _Atomic uint8_t sum, turned;
    _Atomic uint16_t wide;
} near;

static _Atomic unsigned __int128 large;
static atomic_bool flag;

static void of_c(int size) {
    unsigned winners = 0;
#pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        near.sum += 3;
        near.turned ^= 0x55;
        near.wide -= 5;
        large += ((unsigned __int128)1 << 64) + 1;
        if (!atomic_exchange(&flag, true)) {
            winners++;
            atomic_store(&flag, false);
        }
    }
    HOLDS(near.sum == (uint8_t)(3 * size * ROUNDS));
    HOLDS(near.turned == 0);
    HOLDS(near.wide == (uint16_t)(-5 * size * ROUNDS));
    HOLDS((uint64_t)(large >> 64) == (uint64_t)(size * ROUNDS));
    HOLDS((uint64_t)large == (uint64_t)(size * ROUNDS));
    HOLDS(winners >= 1);
    near.sum = 9;
    uint8_t expected = 8;
    HOLDS(!atomic_compare_exchange_strong(&near.sum, &expected, 1) && expected == 9);
    HOLDS(atomic_compare_exchange_strong(&near.sum, &expected, 200) && near.sum == 200);
    HOLDS(atomic_fetch_and(&near.sum, 0x0f) == 200 && atomic_fetch_or(&near.sum, 0xf0) == 8);
    unsigned __int128 before = large;
    HOLDS(atomic_compare_exchange_strong(&large, &before, 7) && large == 7);
    near.sum = 0;
    near.wide = 0;
    large = 0;
}

static void of_openmp(int size) {
    signed char byte = 0;
    short half = 1000;
    double product = 1;
    float sum = 0;
    long double longest = 0;
    long old = 0, olds = 0, latest = 0, seen = 0;
#pragma omp parallel private(old)
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp atomic
        byte += 1;
#pragma omp atomic update seq_cst
        half -= 1;
#pragma omp atomic
        product *= round % 2 ? 2.0 : 0.5;
#pragma omp atomic
        sum += 1;
#pragma omp atomic
        longest += 0.5L;
#pragma omp atomic capture
        old = latest++;
        __atomic_fetch_add(&olds, old, __ATOMIC_RELAXED);
#pragma omp atomic write
        seen = round;
#pragma omp atomic read
        old = seen;
        HOLDS(old >= 0 && old < ROUNDS);
#pragma omp flush
    }
    long all = (long)size * ROUNDS;
    HOLDS(byte == (signed char)all && half == 1000 - all && product == 1 && sum == (float)all);
    HOLDS(longest == all / 2.0L && latest == all && olds == all * (all - 1) / 2);
    int least = 1000;
#pragma omp parallel
#pragma omp atomic compare
    least = omp_get_thread_num() < least ? omp_get_thread_num() : least;
    HOLDS(least == 0);
}

void small(int size) {
    of_c(size);
    of_openmp(size);
}
