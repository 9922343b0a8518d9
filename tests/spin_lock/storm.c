/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of four cores, and handlers that interrupt them, at two spin locks: who holds one is alone,
 * and its core is interrupted by nobody.
 *
 * For a machine whose harts really run at the same time, as semaphore/storm.c says. */
#include "until.h"

#ifndef ROUNDS /* tests/seeds has fewer */
#define ROUNDS 600
#endif

enum { CORES = 4, LOCKS = 2, HANDLED_LEAST = 20 };

/* Each is in a line of its own and not `volatile`: only the lock orders the accesses. */
static struct { unsigned holders, sum; } __attribute__((aligned(64))) guarded[LOCKS];
static unsigned taken, refused, wrong, finished, handled;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static void inside(takt_id lock, unsigned turns) {
    unsigned beside = guarded[lock - 1].holders++, old = guarded[lock - 1].sum;
    for (volatile unsigned i = 0; i < turns; i++) {
    }
    guarded[lock - 1].sum = old + 1;
    guarded[lock - 1].holders--;
    if (beside != 0 || takt_spin_lock_release(lock) != TAKT_OK) {
        count_up(&wrong);
    }
    count_up(&taken);
}

static void pass(unsigned *random) {
    takt_id lock = 1 + next_random(random) % LOCKS;
    if (next_random(random) % 4 == 0 && takt_spin_lock_try(lock) != TAKT_OK) {
        count_up(&refused);
        return;
    }
    if (!takt_cpu_locked() && takt_spin_lock_acquire(lock) != TAKT_OK) {
        count_up(&wrong);
        return;
    }
    inside(lock, next_random(random) % 16);
}

void cyclic_job(intptr_t core) {
    static unsigned randoms[CORES] = {1, 2, 3, 4};
    pass(&randoms[core]);
    count_up(&handled);
}

void part_job(intptr_t core) {
    unsigned random = (unsigned)core + 10;
    for (unsigned round = 0; round < ROUNDS || read_count(&handled) < HANDLED_LEAST; round++) {
        pass(&random);
    }
    if (__atomic_add_fetch(&finished, 1, __ATOMIC_ACQ_REL) < CORES) {
        return;
    }
    for (takt_id cyclic = 1; cyclic <= TAKT_CYCLICS; cyclic++) {
        CHECK_IS(takt_cyclic_stop(cyclic), TAKT_OK);
    }
    wait_a_while();
    printf("%u taken, %u refused\n", taken, refused);
    CHECK_IS(guarded[0].sum + guarded[1].sum, taken);
    CHECK_IS(wrong, 0);
    CHECK(taken + refused > CORES * ROUNDS); /* including the handlers */
    check_end();
}
