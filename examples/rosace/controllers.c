/* SPDX-License-Identifier: Apache-2.0 */
/* The three controllers, 50 Hz: from the pilot's commands and the filtered sensors to throttle and
 * elevator. Each adds up its own error over time, and uses the sum of the steps before. */
#include "flight.h"

/* Altitude to vertical speed: far away at a constant 2.5 m/s, near by proportional and integral. */
static double altitude_to_vertical_speed(double error) {
    static double integral = 0.0;

    /* The integral is left where the near law takes over without a jump. */
    if (error < -50.0) {
        integral = 532.2730285;
        return -2.5;
    }
    if (error > 50.0) {
        integral = -532.27;
        return 2.5;
    }
    double vertical_speed = 0.1014048 * error + 0.0048288 * integral;
    integral += CONTROL_PERIOD * error;
    return vertical_speed;
}

void altitude_hold_step(intptr_t argument) {
    (void)argument;
    struct pilot_command pilot = receive_pilot_command();
    double altitude = receive(TAKT_BUFFER_h_filtered);

    publish(TAKT_BUFFER_vz_command, isnan(pilot.vertical_speed)
                                        ? altitude_to_vertical_speed(altitude - pilot.altitude)
                                        : pilot.vertical_speed);
}

void vz_control_step(intptr_t argument) {
    static double integral = 0.0;

    (void)argument;
    double vz = receive(TAKT_BUFFER_vz_filtered);
    double q = receive(TAKT_BUFFER_q_filtered);
    double az = receive(TAKT_BUFFER_az_filtered);
    publish(TAKT_BUFFER_elevator_command, 0.000627342822264 * integral - 0.003252836726554 * vz +
                                              0.376071446897134 * q - 0.001566907423747 * az);
    integral += CONTROL_PERIOD * (receive(TAKT_BUFFER_vz_command) - vz);
}

void va_control_step(intptr_t argument) {
    static double integral = 0.0;

    (void)argument;
    double va = receive(TAKT_BUFFER_va_filtered);
    double vz = receive(TAKT_BUFFER_vz_filtered);
    double q = receive(TAKT_BUFFER_q_filtered);
    publish(TAKT_BUFFER_throttle, 0.049802610664357 * integral -
                                      0.486813084356079 * (va - TRIM_AIRSPEED) -
                                      0.077603095495388 * vz + 21.692383376322041 * q);
    integral += CONTROL_PERIOD * (receive_pilot_command().airspeed - va);
}
