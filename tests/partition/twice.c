/* SPDX-License-Identifier: Apache-2.0 */
/* A partition that faults, and once more on one core while the other one has not begun to start. */
#include <takt/takt.h>

/* The renewal of this lasts until the first task's core is busy. */
static volatile char room[64 << 10];

static uint64_t restarts_now(void) {
    room[0]++;
    struct takt_partition_state state;
    return takt_partition_state(&state) == TAKT_OK ? state.restarts : UINT64_MAX;
}

void twice_first_job(intptr_t argument) {
    if (restarts_now() == 0) {
        *(volatile int *)0 = 0;
    }
}

void twice_then_job(intptr_t argument) {
    uint64_t restarts = restarts_now();
    if (restarts == 1) {
        *(volatile int *)0 = 0;
    }
    takt_buffer_write(TAKT_BUFFER_twice, &restarts);
}
