/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `telemetry`: sends to the ground, which is the console here, where the satellite
 * looks and how many pictures there are. */
#include <inttypes.h>
#include <stdio.h>

#include <takt/takt.h>

#include "messages.h"

#define REPORT 50 /* jobs between two lines */

static struct packet packet;
static uint32_t pictures, latest, stars, jobs;

/* Counts what differs from the dark. */
static uint32_t stars_of(const struct packet *in) {
    uint32_t count = 0;
    for (uint32_t place = 0; place < sizeof in->runs; place += 2) {
        count += in->runs[place + 1] > 0 ? in->runs[place] : 0;
    }
    return count;
}

static void take_packets(void) {
    size_t size;
    /* Bound: the port has room for four. */
    while (takt_queuing_port_receive(TAKT_QUEUING_PORT_packets, &packet, &size, 0) == TAKT_OK) {
        pictures++;
        latest = packet.picture;
        stars += stars_of(&packet);
    }
}

void downlink_job(intptr_t argument) {
    struct attitude attitude;
    struct takt_sample sample;
    take_packets();
    if (++jobs % REPORT != 0) {
        return;
    }
    takt_error error = takt_sampling_port_read(TAKT_SAMPLING_PORT_attitude, &attitude, &sample);
    if (error != TAKT_OK || !sample.valid) {
        printf("%" PRIu32 " ms: the attitude is unknown\n", jobs * 10);
        return;
    }
    printf("%" PRIu32 " ms: %.4f degrees off after %" PRIu64 " steps; %" PRIu32
           " pictures of %" PRIu32 ", %" PRIu32 " stars\n",
           jobs * 10, attitude.angle, attitude.steps, pictures, latest, stars);
}
