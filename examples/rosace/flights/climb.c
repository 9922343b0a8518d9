/* SPDX-License-Identifier: Apache-2.0 */
/* A climb of 100 m. */
#include "flight.h"

const struct pilot_command flight[] = {
    /* s, m, m/s, m/s */
    {0, 10100, 230, HOLD},
    {120, 10100, 230, HOLD},
};

const size_t flight_rows = sizeof flight / sizeof flight[0];
