/* SPDX-License-Identifier: Apache-2.0 */
/* The five filters, 100 Hz: second-order low passes between the sensors and the controllers. */
#include "flight.h"

struct coefficients {
    double a0, a1, b0, b1;
};

static const struct coefficients altitude_and_pitch = {
    .a0 = 0.766000101841272,
    .a1 = -1.734903205885821,
    .b0 = 0.014857648981438,
    .b1 = 0.016239246974013,
};

static const struct coefficients speeds = {
    .a0 = 0.956543675476034,
    .a1 = -1.955578398054313,
    .b0 = 0.000479064865372430,
    .b1 = 0.000486212556348925,
};

static const struct coefficients acceleration = {
    .a0 = 0.411240701442774,
    .a1 = -1.158045899830964,
    .b0 = 0.107849979167580,
    .b1 = 0.145344822444230,
};

struct filter {
    const struct coefficients *coefficients;
    takt_id input, output;
    double trim;
    bool started;
    double x1, x2;
};

/* A task's argument is its row; the tasks share nothing else. */
static struct filter filters[] = {
    {&altitude_and_pitch, TAKT_BUFFER_h, TAKT_BUFFER_h_filtered, .trim = TRIM_ALTITUDE},
    {&speeds, TAKT_BUFFER_va, TAKT_BUFFER_va_filtered, .trim = TRIM_AIRSPEED},
    {&speeds, TAKT_BUFFER_vz, TAKT_BUFFER_vz_filtered, .trim = 0.0},
    {&altitude_and_pitch, TAKT_BUFFER_q, TAKT_BUFFER_q_filtered, .trim = 0.0},
    {&acceleration, TAKT_BUFFER_az, TAKT_BUFFER_az_filtered, .trim = 0.0},
};

/* Starts a filter as if its input had been at the trim for ever. */
static void start(struct filter *filter) {
    const struct coefficients *c = filter->coefficients;

    filter->x1 = filter->trim * (1.0 + c->a1 - c->b1);
    filter->x2 = filter->trim;
    filter->started = true;
}

void filter_step(intptr_t argument) {
    struct filter *filter = &filters[argument];
    const struct coefficients *c = filter->coefficients;

    if (!filter->started) {
        start(filter);
    }
    double input = receive(filter->input);
    double output = filter->x2;
    publish(filter->output, output);
    filter->x2 = filter->x1 - c->a1 * output + c->b1 * input;
    filter->x1 = -c->a0 * output + c->b0 * input;
}
