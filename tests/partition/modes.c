/* SPDX-License-Identifier: Apache-2.0 */
/* A partition that starts itself again: warm, cold, then not any more; at last it stops itself. */
#include <takt/takt.h>

#include "restart.h"

static struct modes modes;

static void check(bool holds) {
    modes.failures += !holds;
}

static void check_state(uint32_t start, uint32_t restarts) {
    struct takt_partition_state state;
    check(takt_partition_state(&state) == TAKT_OK);
    check(state.start == start && state.restarts == restarts);
}

void modes_job(intptr_t argument) {
    struct takt_partition_state state;
    modes.jobs++;
    check(takt_partition_state(&state) == TAKT_OK);
    if (state.restarts == 0) {
        check_state(TAKT_START_SYSTEM, 0);
        check(takt_partition_state((void *)0xffffffff80000000) == TAKT_E_MACV);
        check(takt_partition_set_mode((enum takt_partition_mode)3) == TAKT_E_PAR);
        check(takt_partition_set_mode(TAKT_PARTITION_WARM_START) == -1);
    } else if (state.restarts == 1) {
        check_state(TAKT_START_WARM, 1);
        check(modes.jobs == 2);
        check(takt_partition_set_mode(TAKT_PARTITION_COLD_START) == -1);
    } else if (modes.jobs == 1) {
        check_state(TAKT_START_COLD, 2);
        check(takt_partition_set_mode(TAKT_PARTITION_WARM_START) == TAKT_E_ILUSE);
    }
    takt_buffer_write(TAKT_BUFFER_modes, &modes);
    if (modes.jobs == 3) {
        check(takt_partition_set_mode(TAKT_PARTITION_IDLE) == -1);
    }
}
