/* SPDX-License-Identifier: Apache-2.0 */
/* The I/O core: a task for each input and output of a device. The devices are stand-ins, which
 * number what they deliver; no instance may be lost on its way, or come out twice. */
#include "transactions.h"

static struct instance inputs[TRANSACTIONS];
static uint64_t outputs[TRANSACTIONS];

/* Moves what the device has delivered into memory. */
void move_in(intptr_t transaction) {
    inputs[transaction].number++;
    takt_assert(takt_sampling_port_write(taken_ports[transaction], &inputs[transaction]) ==
                TAKT_OK);
}

/* Moves a result to the device. Before the first instance has come through there is none. */
void move_out(intptr_t transaction) {
    struct instance result;
    struct takt_sample age;
    if (takt_sampling_port_read(result_ports[transaction], &result, &age) != TAKT_OK) {
        return;
    }
    takt_assert(result.number == ++outputs[transaction]);
}
