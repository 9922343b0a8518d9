/* SPDX-License-Identifier: Apache-2.0 */
/* The pilot, 10 Hz: plays the flight's table. */
#include "flight.h"

void commands_step(intptr_t argument) {
    static size_t row = 0;

    (void)argument;
    /* Divided, not multiplied by 1e-9: so a time is the same number as in the table. */
    double now = (double)takt_task_release_time() / 1e9;
    while (row + 1 < flight_rows && flight[row + 1].at <= now) {
        row++;
    }
    takt_assert(takt_buffer_write(TAKT_BUFFER_pilot, &flight[row]) == TAKT_OK);
}
