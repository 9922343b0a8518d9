/* SPDX-License-Identifier: Apache-2.0 */
/* Two tasks on two cores: one measures, the other prints. system.toml says when they run. */
#include <stdio.h>

#include <takt/takt.h>

/* A measurement. system.toml states the size of this structure. */
struct height {
    int32_t millimetres;
    int32_t samples;
};

/* Simulates a sensor: the height of a ball that rises for half a second and falls again. */
static int32_t height_at(takt_time time) {
    int64_t ms = time / TAKT_MILLISECOND % 1000;
    return (int32_t)(4905 * ms * (1000 - ms) / 1000000);
}

void sensor_step(intptr_t argument) {
    static int32_t samples;
    (void)argument;
    struct height now = {height_at(takt_task_release_time()), ++samples};
    takt_buffer_write(TAKT_BUFFER_height, &now);
}

void display_step(intptr_t argument) {
    struct height seen;
    char line[64];
    (void)argument;
    if (takt_buffer_read(TAKT_BUFFER_height, &seen) != TAKT_OK) {
        return; /* the run reports it: the description does not name this task as a reader */
    }
    int length = snprintf(line, sizeof line, "height %ld mm after %ld samples\n",
                          (long)seen.millimetres, (long)seen.samples);
    takt_console_write(line, (size_t)length);
}
