/* SPDX-License-Identifier: Apache-2.0 */
/* Follows faces: every 10 ms it moves each along its speed, and where a frame has come since, it
 * mends place and speed by an alpha-beta filter. */
#include <math.h>
#include <string.h>
#include <takt/system.h>
#include <takt/takt.h>

#include "vision.h"

static const double STEP = 0.01, FRAME = 1.0 / 30; /* s */
static const double ALPHA = 0.6, BETA = 0.3;

struct track tracks[FRAMES][MAX_TRACKS];

/* The track whose middle is nearest to that of a box and within half its size, or a free one. */
static struct track *track_of(struct track *all, double x, double y, double size) {
    struct track *nearest = 0;
    double least = size / 2;
    for (int index = 0; index < MAX_TRACKS; index++) {
        double distance = hypot(all[index].x - x, all[index].y - y);
        if (all[index].hits > 0 && distance < least) {
            least = distance;
            nearest = &all[index];
        }
    }
    for (int index = 0; index < MAX_TRACKS && !nearest; index++) {
        nearest = all[index].hits == 0 ? &all[index] : 0;
    }
    return nearest;
}

static void see(struct track *all, const struct box *box) {
    double x = box->left + box->size / 2.0, y = box->top + box->size / 2.0;
    struct track *track = track_of(all, x, y, box->size);
    if (!track) {
        return;
    }
    if (track->hits++ == 0) {
        *track = (struct track){.x = x, .y = y, .size = box->size, .hits = 1};
        return;
    }
    track->misses = 0;
    track->speed_x += BETA * (x - track->x) / FRAME;
    track->speed_y += BETA * (y - track->y) / FRAME;
    track->x += ALPHA * (x - track->x);
    track->y += ALPHA * (y - track->y);
    track->size += ALPHA * (box->size - track->size);
}

void tracker_step(intptr_t unused) {
    static struct track all[MAX_TRACKS];
    static int last;
    struct sighting sighting;
    if (last == FRAMES || takt_buffer_read(TAKT_BUFFER_seen, &sighting) != TAKT_OK) {
        return;
    }
    for (int index = 0; index < MAX_TRACKS; index++) {
        all[index].x += all[index].speed_x * STEP;
        all[index].y += all[index].speed_y * STEP;
    }
    if (sighting.frame == last) {
        return;
    }
    last = sighting.frame;
    for (int index = 0; index < MAX_TRACKS; index++) {
        if (all[index].hits > 0 && ++all[index].misses > 3) {
            all[index] = (struct track){0};
        }
    }
    for (int index = 0; index < sighting.count; index++) {
        see(all, &sighting.faces[index]);
    }
    memcpy(tracks[last - 1], all, sizeof all);
    if (last == FRAMES) {
        takt_semaphore_signal(TAKT_SEMAPHORE_done);
    }
}
