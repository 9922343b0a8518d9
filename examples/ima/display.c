/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `display`: a task that does little of everything. */
#include <stdint.h>

#include <takt/takt.h>

#include "attitude.h"

#define PIXELS 4096

static volatile uint64_t drawn[PIXELS];
static struct key key;
static volatile uint64_t keys_lost;

void draw_job(intptr_t argument) {
    struct attitude attitude = {0};
    struct takt_sample sample;
    takt_error error = takt_sampling_port_read(TAKT_SAMPLING_PORT_attitude, &attitude, &sample);
    /* Nothing is drawn before the first message, and no angle that is too old. */
    uint64_t angle = error == TAKT_OK && sample.valid ? attitude.angle : 0;
    for (uint32_t i = 0; i < PIXELS; i++) {
        drawn[i] += angle + i;
    }
    key.number++;
    if (takt_queuing_port_send(TAKT_QUEUING_PORT_keys, &key, sizeof key) != TAKT_OK) {
        keys_lost++;
    }
}
