/* SPDX-License-Identifier: Apache-2.0 */
#include "spinlock.h"

#if SPINLOCK == SPINLOCK_TICKET

#include "core.h"

/* Turns without a look: proportional, for each core before this one; exponential, after the first
 * look, and at most. */
enum { TURNS_EACH = 8, TURNS_FIRST = 2, TURNS_MAX = 64 };

void spinlock_wait(struct spinlock *lock, uint32_t ticket, uint32_t serving) {
    struct takt_record_event *event = spinlock_wait_begins();
    unsigned turns = TURNS_FIRST;
    while (serving != ticket) {
        if (BACKOFF == BACKOFF_PROPORTIONAL) {
            spinlock_look_away((ticket - serving - 1) * TURNS_EACH);
        } else if (BACKOFF == BACKOFF_EXPONENTIAL) {
            spinlock_look_away(turns);
            turns = turns < TURNS_MAX ? 2 * turns : TURNS_MAX;
        }
        kernel_spin();
        /* Acquire: pairs with the release in spinlock_release. */
        serving = __atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE);
    }
    spinlock_wait_ends(event);
}

#endif
