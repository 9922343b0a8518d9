/* SPDX-License-Identifier: Apache-2.0 */
/* The partitions `one`, `two` and `three`: what a transaction brings is computed on, and handed to
 * its output. */
#include "transactions.h"

#define ROUNDS 50000

static volatile uint64_t result;

/* One job of a task without input and output. */
void compute(intptr_t argument) {
    for (uint32_t i = 0; i < ROUNDS; i++) {
        result = result * 3 + i;
    }
}

/* One job of a task with input and output. Before the first input there is nothing to do. */
void transact(intptr_t transaction) {
    struct instance sample;
    struct takt_sample age;
    if (takt_sampling_port_read(taken_ports[transaction], &sample, &age) != TAKT_OK) {
        return;
    }
    compute(0);
    takt_assert(takt_sampling_port_write(result_ports[transaction], &sample) == TAKT_OK);
}
