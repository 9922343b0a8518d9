/* SPDX-License-Identifier: Apache-2.0 */
/* The published step of the airspeed: 5 m/s faster, in level flight. */
#include "flight.h"

const struct pilot_command flight[] = {
    /* s, m, m/s, m/s */
    {0, 10000, 235, 0},
    {50, 10000, 235, 0},
};

const size_t flight_rows = sizeof flight / sizeof flight[0];
