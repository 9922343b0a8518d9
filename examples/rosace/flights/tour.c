/* SPDX-License-Identifier: Apache-2.0 */
/* A climb, a faster stretch, and a slower descent below the start. */
#include "flight.h"

const struct pilot_command flight[] = {
    /* s, m, m/s, m/s */
    {0, 10000, 230, HOLD},   /* level flight */
    {5, 10100, 230, HOLD},   /* climb */
    {60, 10100, 233, HOLD},  /* faster */
    {90.5, 9980, 228, HOLD}, /* down, and slower */
    {220, 9980, 228, HOLD},  /* the end */
};

const size_t flight_rows = sizeof flight / sizeof flight[0];
