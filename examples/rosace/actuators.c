/* SPDX-License-Identifier: Apache-2.0 */
/* The engine and the elevator, 200 Hz: how they follow their commands. */
#include "flight.h"

/* A first-order lag from throttle to thrust. */
void engine_step(intptr_t argument) {
    static const double newtons = 26350.0; /* of thrust at throttle 1 */
    static const double rate = 0.75;       /* 1/s */
    static double x = TRIM_THROTTLE;

    (void)argument;
    double commanded = receive(TAKT_BUFFER_throttle) + TRIM_THROTTLE;
    publish(TAKT_BUFFER_thrust, newtons * x);
    x += PLANT_PERIOD * (-rate * x + rate * commanded);
}

/* A damped second-order lag from the commanded to the real deflection. */
void elevator_step(intptr_t argument) {
    static const double omega = 25.0; /* rad/s */
    static const double xi = 0.85;
    static double angle = TRIM_ELEVATOR;
    static double speed = 0.0;

    (void)argument;
    double commanded = receive(TAKT_BUFFER_elevator_command) + TRIM_ELEVATOR;
    publish(TAKT_BUFFER_deflection, angle);
    double acceleration = omega * omega * (commanded - angle) - 2.0 * xi * omega * speed;
    angle += PLANT_PERIOD * speed;
    speed += PLANT_PERIOD * acceleration;
}
