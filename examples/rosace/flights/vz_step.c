/* SPDX-License-Identifier: Apache-2.0 */
/* The published step of the vertical speed: 2.5 m/s upwards, altitude hold bypassed. */
#include "flight.h"

const struct pilot_command flight[] = {
    /* s, m, m/s, m/s */
    {0, 10000, 230, -2.5},
    {50, 10000, 230, -2.5},
};

const size_t flight_rows = sizeof flight / sizeof flight[0];
