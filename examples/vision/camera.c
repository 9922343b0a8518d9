/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a frame every 33 ms, finds the faces in it, and hands their boxes to the tracker. */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <takt/system.h>
#include <takt/takt.h>
#include <unistd.h>

#include "vision.h"

uint8_t pictures[FRAMES][WIDTH * HEIGHT];
struct sighting sightings[FRAMES];
double seconds[FRAMES];

/* Reads a frame from the file system, which stands in for a camera. */
static bool take(int frame, uint8_t *picture) {
    static const char HEAD[] = "P5\n320 240\n255\n";
    char path[32], head[sizeof HEAD - 1];
    snprintf(path, sizeof path, "/%d.pgm", frame);
    int file = open(path, O_RDONLY);
    if (file < 0) {
        return false;
    }
    bool taken = read(file, head, sizeof head) == sizeof head &&
                 memcmp(head, HEAD, sizeof head) == 0 &&
                 read(file, picture, WIDTH * HEIGHT) == WIDTH * HEIGHT;
    close(file);
    return taken;
}

void camera_step(intptr_t unused) {
    static int frame;
    if (frame == FRAMES) {
        return;
    }
    double begin = omp_get_wtime();
    if (!take(frame, pictures[frame])) {
        takt_panic("a frame is missing, or is no PGM file of 320 x 240 points");
    }
    struct sighting *sighting = &sightings[frame];
    find_faces(pictures[frame], sighting);
    sighting->frame = ++frame;
    takt_buffer_write(TAKT_BUFFER_seen, sighting);
    seconds[frame - 1] = omp_get_wtime() - begin;
}
