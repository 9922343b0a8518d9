/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a ticket: `next` is the high half of a word, `serving` the low one. */
#ifndef KERNEL_SPINLOCK_WORD_H
#define KERNEL_SPINLOCK_WORD_H

#include <stdbool.h>
#include <stdint.h>

/* Takes the next ticket; returns the word as it was. Acquire: pairs with the release of the lock.
 *
 * A lock that looks free is taken by compare-and-swap, which leaves its line in this core's cache
 * also where other atomics are performed at the line's home. That is tried once: when it fails
 * another core has changed the word, and the fetch-and-add always succeeds. */
static inline uint64_t ticket_take(uint64_t *word) {
    uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    bool free = (uint32_t)(seen >> 32) == (uint32_t)seen;
    if (free && __atomic_compare_exchange_n(word, &seen, seen + (1ull << 32), false,
                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        return seen;
    }
    return __atomic_fetch_add(word, 1ull << 32, __ATOMIC_ACQUIRE);
}

#endif
