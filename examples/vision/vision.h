/* SPDX-License-Identifier: Apache-2.0 */
/* What the tasks of the example tell each other. */
#pragma once

#include "detector.h"

enum { FRAMES = 6, MAX_TRACKS = 4 };

/* A face that is followed from frame to frame: where it is now, and points a second. */
struct track {
    double x, y, size; /* the middle of its box, and its side */
    double speed_x, speed_y;
    int hits, misses; /* frames in which it was seen, and those since it was seen last */
};

/* What camera and tracker have kept of each frame; the camera's semaphore hands them to main. */
extern uint8_t pictures[FRAMES][WIDTH * HEIGHT];
extern struct sighting sightings[FRAMES];
extern double seconds[FRAMES]; /* from the job's first instruction to its last */
extern struct track tracks[FRAMES][MAX_TRACKS];

/* Writes a picture with its boxes, those of the detector yellow and those of the tracker green. */
bool write_png(const char *path, const uint8_t *picture, const struct sighting *sighting,
               const struct track *tracked);
