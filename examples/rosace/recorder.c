/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder: prints the flight as CSV, each line marked `flight`, and ends the run. */
#include <stdio.h>

#include "flight.h"

/* The start of the 5 ms step that the running job belongs to, in s. */
static double step_time(void) {
    const takt_time step = 5 * TAKT_MILLISECOND;
    takt_time release = takt_task_release_time();

    return (double)(release - release % step) / 1e9;
}

static void print_commands(double time) {
    struct pilot_command pilot = receive_pilot_command();

    printf("flight,%.3f,%.1f,%.1f,%.5f", time, pilot.altitude, pilot.airspeed,
           receive(TAKT_BUFFER_vz_command));
}

static void print_aircraft(void) {
    printf(",%.5f,%.6f,%.6f,%.8f,%.6f", receive(TAKT_BUFFER_h), receive(TAKT_BUFFER_va),
           receive(TAKT_BUFFER_vz), receive(TAKT_BUFFER_q), receive(TAKT_BUFFER_az));
    printf(",%.2f,%.8f\n", receive(TAKT_BUFFER_thrust), receive(TAKT_BUFFER_deflection));
}

void recorder_step(intptr_t argument) {
    static bool titled = false;

    (void)argument;
    if (!titled) {
        puts("flight,t,h_c,va_c,vz_c,h,va,vz,q,az,thrust,elevator");
        titled = true;
    }
    double time = step_time();
    print_commands(time);
    print_aircraft();
    if (time >= flight[flight_rows - 1].at) {
        takt_system_shutdown(0);
    }
}
