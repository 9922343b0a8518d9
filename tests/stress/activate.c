/* SPDX-License-Identifier: Apache-2.0 */
/* Every core activates tasks on every other core, as fast as it can: each call that succeeds must be
 * exactly one job, however the calls, the jobs' ends and the interrupts interleave. */
#include "check.h"
#include "stress/parameters.h"

enum { BURST = 5 };

static unsigned drivers_done;

void pair_job(intptr_t pair) {
    pairs[pair].jobs++;
}

/* The IDs are in the order of the pairs, without the diagonal. */
static takt_id task_of(unsigned source, unsigned target) {
    return 1 + source * (stress_cores - 1) + target - (target > source);
}

/* More calls in a row than the queue has places. Returns how many have succeeded. */
static unsigned burst(unsigned source, unsigned target) {
    struct pair *pair = &pairs[source * stress_cores + target];
    unsigned accepted = 0;
    for (int i = 0; i < BURST; i++) {
        takt_error error = takt_task_activate(task_of(source, target));
        if (error == TAKT_OK) {
            accepted++;
        } else {
            CHECK_IS(error, TAKT_E_QOVR);
            pair->refused++;
        }
    }
    pair->accepted += accepted;
    return accepted;
}

void driver_job(intptr_t source) {
    unsigned accepted = 0;
    while (accepted < stress_quota) {
        for (unsigned target = 0; target < stress_cores; target++) {
            if (target != (unsigned)source) {
                accepted += burst((unsigned)source, target);
            }
        }
    }
    __atomic_fetch_add(&drivers_done, 1, __ATOMIC_RELEASE);
}

void main_job(intptr_t argument) {
    while (__atomic_load_n(&drivers_done, __ATOMIC_ACQUIRE) < stress_cores) {
        takt_task_delay(10 * TAKT_MILLISECOND);
    }
    takt_task_delay(TAKT_SECOND); /* the last jobs */
    unsigned long accepted = 0, refused = 0;
    for (unsigned i = 0; i < stress_cores * stress_cores; i++) {
        CHECK_IS(pairs[i].jobs, pairs[i].accepted);
        accepted += pairs[i].accepted;
        refused += pairs[i].refused;
    }
    CHECK(accepted >= (unsigned long)stress_quota * stress_cores);
    CHECK(refused > 0);
    printf("%lu activations, %lu refused\n", accepted, refused);
    check_end();
}
