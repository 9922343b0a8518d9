/* SPDX-License-Identifier: Apache-2.0 */
/* The aircraft, 200 Hz: its longitudinal motion under thrust, elevator, air and gravity.
 *
 * A step publishes the aircraft as it is, then moves it by Euler's rule. */
#include "flight.h"

static const double mass = 57837.5;     /* kg */
static const double inertia = 3781272.; /* about the pitch axis, kg m2 */
static const double area = 122.6;       /* of the wing, m2 */
static const double chord = 4.29;       /* mean, of the wing, m */
static const double gravity = 9.80665;  /* m/s2 */

/* Velocity in the body's axes (forward, down), pitch and its rate, altitude. */
static struct {
    double u, w, q, theta, h;
} state = {
    .u = 229.91933220121803, /* TRIM_AIRSPEED * cos(TRIM_PITCH) */
    .w = 6.091032765135377,  /* TRIM_AIRSPEED * sin(TRIM_PITCH) */
    .q = 0.0,
    .theta = TRIM_PITCH,
    .h = TRIM_ALTITUDE,
};

/* Forces forward and down (N), and the moment that raises the nose (N m). */
struct forces {
    double x, z, moment;
};

/* The density of the air in the standard atmosphere, kg/m3. */
static double density(double altitude) {
    const double sea_level = 1.225, temperature = 288.15, lapse = -0.0065, gas = 287.05;

    return sea_level * pow(1.0 + lapse * altitude / temperature, -gravity / (gas * lapse) - 1.0);
}

static struct forces aerodynamics(double airspeed, double elevator) {
    double alpha = atan(state.w / state.u);
    double pressure = 0.5 * density(state.h) * airspeed * airspeed;
    double lift = 0.193 * elevator + 5.5 * (alpha + 0.05);
    double drag = 0.016 + 0.05 * elevator + 2.5 * (alpha + 0.05) * (alpha + 0.05);
    double pitch = 0.04 - 1.5 * elevator - 0.83 * alpha - 15.0 * state.q * chord / airspeed;

    return (struct forces){
        .x = -pressure * area * (drag * cos(alpha) - lift * sin(alpha)),
        .z = -pressure * area * (drag * sin(alpha) + lift * cos(alpha)),
        .moment = pressure * chord * area * pitch,
    };
}

static void move(struct forces air, double thrust) {
    double sine = sin(state.theta), cosine = cos(state.theta);
    double du = -gravity * sine - state.q * state.w + (air.x + thrust) / mass;
    double dw = gravity * cosine + state.q * state.u + air.z / mass;
    double dh = state.u * sine - state.w * cosine;

    state.u += PLANT_PERIOD * du;
    state.w += PLANT_PERIOD * dw;
    state.h += PLANT_PERIOD * dh;
    state.theta += PLANT_PERIOD * state.q;
    state.q += PLANT_PERIOD * air.moment / inertia;
}

void aircraft_step(intptr_t argument) {
    (void)argument;
    double thrust = receive(TAKT_BUFFER_thrust);
    double airspeed = sqrt(state.u * state.u + state.w * state.w);
    struct forces air = aerodynamics(airspeed, receive(TAKT_BUFFER_deflection));

    publish(TAKT_BUFFER_h, state.h);
    publish(TAKT_BUFFER_va, airspeed);
    publish(TAKT_BUFFER_vz, state.w * cos(state.theta) - state.u * sin(state.theta));
    publish(TAKT_BUFFER_q, state.q);
    publish(TAKT_BUFFER_az, gravity * cos(state.theta) + air.z / mass);
    move(air, thrust);
}
