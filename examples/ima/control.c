/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `control`: a task whose time is that of its loads from memory. */
#include <stdint.h>

#include <takt/takt.h>

#include "attitude.h"

#define LINE   64
#define MEMORY (4 << 20)
#define LINES  (MEMORY / LINE)
#define LOADS  650
#define KEYS   4 /* at most so many are taken in a job */

struct line {
    uint64_t value;
    uint64_t rest[LINE / 8 - 1];
};

static volatile struct line lines[LINES] __attribute__((aligned(LINE)));
static uint32_t place;
static struct attitude attitude;
static volatile uint64_t latest_key;

/* Takes the keys that were pressed on the display since the last job. */
static void take_keys(void) {
    struct key key;
    size_t size;
    for (uint32_t left = KEYS; left > 0; left--) {
        if (takt_queuing_port_receive(TAKT_QUEUING_PORT_keys, &key, &size, 0) != TAKT_OK) {
            return;
        }
        latest_key = key.number;
    }
}

/* One job: walks on through more memory than the caches hold, line by line. Each load needs the
 * value that the one before gave, 0, to know its place. */
void steer_job(intptr_t argument) {
    uint32_t angle = 0;
    for (uint32_t i = 0; i < LOADS; i++) {
        place = (place + 1 + (uint32_t)lines[place].value) % LINES;
        angle ^= place;
    }
    attitude.angle = angle;
    attitude.jobs++;
    takt_assert(takt_sampling_port_write(TAKT_SAMPLING_PORT_attitude, &attitude) == TAKT_OK);
    take_keys();
}
