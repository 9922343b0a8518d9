/* SPDX-License-Identifier: Apache-2.0 */
/* What a transaction moves, and the ports that it takes. */
#ifndef TRANSACTIONS_H
#define TRANSACTIONS_H

#include <stdint.h>

#include <takt/takt.h>

#define TRANSACTIONS 3

struct instance {
    uint64_t number;
};

static const takt_id taken_ports[TRANSACTIONS] = {
    TAKT_SAMPLING_PORT_radar_taken,
    TAKT_SAMPLING_PORT_picture_taken,
    TAKT_SAMPLING_PORT_guidance_taken,
};
static const takt_id result_ports[TRANSACTIONS] = {
    TAKT_SAMPLING_PORT_radar_result,
    TAKT_SAMPLING_PORT_picture_result,
    TAKT_SAMPLING_PORT_guidance_result,
};

#endif
