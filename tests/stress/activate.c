/* SPDX-License-Identifier: Apache-2.0 */
/* Every core activates tasks on every other core as fast as it can: each successful call must give
 * exactly one job, however the calls, the ends of jobs and the interrupts interleave. */
#include "stress/parameters.h"
#include "until.h"

static unsigned drivers_done;

void pair_job(intptr_t pair) {
    pairs[pair].jobs++;
}

/* The IDs are in the order of the pairs (source, target), without pairs of equal cores. */
static takt_id task_of(unsigned source, unsigned target) {
    return 1 + source * (stress_cores - 1) + target - (target > source);
}

/* Fills the target's queue up to the first refusal. Returns the number of successful calls. */
static unsigned burst(unsigned source, unsigned target) {
    struct pair *pair = &pairs[source * stress_cores + target];
    unsigned accepted = 0;
    takt_error error = TAKT_OK;
    for (unsigned i = 0; i < stress_burst && error == TAKT_OK; i++) {
        error = takt_task_activate(task_of(source, target));
        accepted += error == TAKT_OK;
    }
    if (error != TAKT_OK) {
        CHECK_IS(error, TAKT_E_QOVR);
        pair->refused++;
    }
    pair->accepted += accepted;
    return accepted;
}

/* Makes one burst to each other core. */
static unsigned round_of(unsigned source) {
    unsigned accepted = 0;
    for (unsigned target = 0; target < stress_cores; target++) {
        if (target != source) {
            accepted += burst(source, target);
        }
    }
    return accepted;
}

static void spin(unsigned turns) {
    for (volatile unsigned i = 0; i < turns; i++) {
    }
}

void driver_job(intptr_t source) {
    for (unsigned accepted = 0, round = 0; accepted < stress_quota; round++) {
        unsigned now = round_of((unsigned)source);
        accepted += now;
        spin(now > 0 ? round * 37 % 1000
                     : 5000); /* all queues are full, so the jobs get time to run */
    }
    __atomic_fetch_add(&drivers_done, 1, __ATOMIC_RELEASE);
}

static bool all_run(void) {
    for (unsigned i = 0; i < stress_cores * stress_cores; i++) {
        if (__atomic_load_n(&pairs[i].jobs, __ATOMIC_ACQUIRE) < pairs[i].accepted) {
            return false;
        }
    }
    return true;
}

void main_job(intptr_t argument) {
    while (__atomic_load_n(&drivers_done, __ATOMIC_ACQUIRE) < stress_cores) {
        takt_task_delay(10 * TAKT_MILLISECOND);
    }
    for (int i = 0; i < PATIENCE / (10 * TAKT_MILLISECOND) && !all_run(); i++) {
        takt_task_delay(10 * TAKT_MILLISECOND);
    }
    takt_task_delay(50 * TAKT_MILLISECOND); /* time for superfluous jobs to show */
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
