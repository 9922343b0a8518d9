/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for the last frame, says what was seen and how long it took, and writes the pictures. */
#include <omp.h>
#include <stdio.h>
#include <takt/system.h>
#include <takt/takt.h>

#include "vision.h"

static void say(int frame) {
    printf("frame %d:", frame);
    for (int index = 0; index < sightings[frame].count; index++) {
        const struct box *box = &sightings[frame].faces[index];
        printf(" %d,%d,%d", box->left, box->top, box->size);
    }
    printf("\n");
}

int main(void) {
    double total = 0, most = 0;
    if (takt_semaphore_wait(TAKT_SEMAPHORE_done) != TAKT_OK) {
        return 1;
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        char path[32];
        say(frame);
        snprintf(path, sizeof path, "/frame_%d.png", frame);
        if (!write_png(path, pictures[frame], &sightings[frame], tracks[frame])) {
            printf("vision: cannot write %s\n", path);
            return 1;
        }
        total += seconds[frame];
        most = seconds[frame] > most ? seconds[frame] : most;
    }
    for (int index = 0; index < MAX_TRACKS; index++) {
        const struct track *track = &tracks[FRAMES - 1][index];
        if (track->hits > 0) {
            printf("a face of %.0f points at %.0f,%.0f moves by %.0f,%.0f points a second\n",
                   track->size, track->x, track->y, track->speed_x, track->speed_y);
        }
    }
    printf("%d frames: average %.2f ms, maximum %.2f ms\n", FRAMES, total / FRAMES * 1e3,
           most * 1e3);
    return 0;
}
