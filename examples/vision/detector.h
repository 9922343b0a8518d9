/* SPDX-License-Identifier: Apache-2.0 */
/* Finds faces in a picture, in parallel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { WIDTH = 320, HEIGHT = 240, MAX_FACES = 8 };

/* A square of the picture, in points. */
struct box {
    int left, top, size;
};

/* What was seen in a frame. */
struct sighting {
    int frame; /* from 1; 0 before the first */
    int count;
    struct box faces[MAX_FACES];
};

/* Finds at most MAX_FACES faces of 24 points and more in a picture, WIDTH * HEIGHT bytes row by
 * row, and sets `count` and `faces`: the same for any number of threads. Forks five times. One
 * caller at a time. */
void find_faces(const uint8_t *picture, struct sighting *sighting);

/* The cascade. A feature is the difference between a part of a rectangle of the window, counted
 * `weight` times, and the whole; divided by the window's contrast it is above the threshold or
 * not. A feature that is on the side of `above` has its vote for a face, and a stage passes a
 * window whose votes are at least `least`. */
struct rectangle {
    uint8_t x, y, width, height;
};

struct feature {
    struct rectangle whole, part;
    int weight;
    bool above;
    float threshold, vote;
};

struct stage {
    int features;
    float least;
};
