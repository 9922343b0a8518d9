/* SPDX-License-Identifier: Apache-2.0 */
/* Two tasks of two cores share words: one without any order, and, in the same way, others by a
 * mutex, a semaphore and an atomic flag. The tasks' argument says whether the first is used. */
#include <stdatomic.h>
#include <stdbool.h>

#include <takt/takt.h>

#include "check.h"

enum { ROUNDS = 20 };

int unguarded, guarded, message, answer;
static atomic_bool told;

static void both(intptr_t races) {
    for (int round = 0; round < ROUNDS; round++) {
        if (races) {
            unguarded++;
        }
        CHECK(takt_mutex_lock(TAKT_MUTEX_lock) == TAKT_OK);
        guarded++;
        CHECK(takt_mutex_unlock(TAKT_MUTEX_lock) == TAKT_OK);
    }
}

void left(intptr_t races) {
    both(races);
    message = 7;
    atomic_store_explicit(&told, true, memory_order_release);
    CHECK(takt_semaphore_wait(TAKT_SEMAPHORE_answered) == TAKT_OK);
    CHECK_IS(answer, 8);
    CHECK_IS(guarded, 2 * ROUNDS);
    check_end();
}

void right(intptr_t races) {
    both(races);
    while (!atomic_load_explicit(&told, memory_order_acquire)) {
    }
    answer = message + 1;
    CHECK(takt_semaphore_signal(TAKT_SEMAPHORE_answered) == TAKT_OK);
}
