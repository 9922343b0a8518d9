/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `display`: a task that does little of everything. */
#include <stdint.h>

#include <takt/takt.h>

#include "attitude.h"

#define PIXELS 4096

static volatile uint64_t drawn[PIXELS];

void draw_job(intptr_t argument) {
    struct attitude attitude;
    takt_assert(takt_buffer_read(TAKT_BUFFER_attitude, &attitude) == TAKT_OK);
    for (uint32_t i = 0; i < PIXELS; i++) {
        drawn[i] += attitude.angle + i;
    }
}
