/* SPDX-License-Identifier: Apache-2.0 */
/* What the tasks of the flight share: the trim, the pilot's commands, and how values travel.
 *
 * Units are SI and radians. Vertical speed is positive downwards: a climb has vz < 0. */
#ifndef FLIGHT_H
#define FLIGHT_H

#include <math.h>
#include <takt/takt.h>

/* Steady level flight, in which every task starts. */
#define TRIM_ALTITUDE 10000.0
#define TRIM_AIRSPEED 230.0
#define TRIM_PITCH    0.026485847681737
#define TRIM_THROTTLE 1.5868660794926
#define TRIM_ELEVATOR 0.012009615652468

/* The periods of the aircraft, engine and elevator, and of the controllers, as in system.toml. */
#define PLANT_PERIOD   0.005
#define CONTROL_PERIOD 0.02

/* One row of a flight's table: the pilot's command from the time `at` until the next row. */
struct pilot_command {
    double at;             /* s */
    double altitude;       /* m */
    double airspeed;       /* m/s */
    double vertical_speed; /* m/s, flown instead of the altitude; HOLD: fly to the altitude */
};

#define HOLD NAN

/* The table of this flight, by rising time; the flight ends at the last row's. */
extern const struct pilot_command flight[];
extern const size_t flight_rows;

static inline double receive(takt_id buffer) {
    double value;
    takt_assert(takt_buffer_read(buffer, &value) == TAKT_OK);
    return value;
}

static inline void publish(takt_id buffer, double value) {
    takt_assert(takt_buffer_write(buffer, &value) == TAKT_OK);
}

static inline struct pilot_command receive_pilot_command(void) {
    struct pilot_command command;
    takt_assert(takt_buffer_read(TAKT_BUFFER_pilot, &command) == TAKT_OK);
    return command;
}

#endif
