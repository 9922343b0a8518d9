/* SPDX-License-Identifier: Apache-2.0 */
/* A climb of 1000 m. Longer than [run] of system.toml allows: raise that to 610s. */
#include "flight.h"

const struct pilot_command flight[] = {
    /* s, m, m/s, m/s */
    {0, 11000, 230, HOLD},
    {600, 11000, 230, HOLD},
};

const size_t flight_rows = sizeof flight / sizeof flight[0];
