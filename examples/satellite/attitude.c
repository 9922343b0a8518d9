/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `attitude`: turns the satellite to where its camera shall look, about one axis. The
 * satellite itself is a model: a wheel's torque turns it, and so does a steady disturbance. */
#include <takt/takt.h>

#include "messages.h"

#define STEP        0.01 /* seconds: the task's period */
#define DISTURBANCE 0.5  /* degrees per second squared */
#define MOST        40.0 /* of the wheel, the same */
#define STIFFNESS   64.0 /* 8 radians per second, squared */
#define DAMPING     16.0
#define DRIFT       128.0 /* how fast the steady part is learnt */

static struct attitude attitude = {.angle = 5};
static double steady;

static double limited(double acceleration) {
    return acceleration > MOST ? MOST : acceleration < -MOST ? -MOST : acceleration;
}

void control_job(intptr_t argument) {
    double wanted = -STIFFNESS * attitude.angle - DAMPING * attitude.rate - steady;
    double acceleration = limited(wanted);
    /* While the wheel gives all that it can, the difference says nothing about a disturbance. */
    if (acceleration == wanted) {
        steady += DRIFT * attitude.angle * STEP;
    }
    attitude.rate += (acceleration + DISTURBANCE) * STEP;
    attitude.angle += attitude.rate * STEP;
    attitude.steps++;
    takt_assert(takt_sampling_port_write(TAKT_SAMPLING_PORT_attitude, &attitude) == TAKT_OK);
}
