/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `payload`: a camera takes pictures of stars on a core of its own, and another task
 * compresses them in the partition's windows. Radiation turns a bit of each twelfth picture's size,
 * which the compression believes. */
#include <string.h>

#include <takt/takt.h>

#include "messages.h"

#define WIDTH   256
#define HEIGHT  192
#define STARS   20
#define DAMAGED 12 /* one of so many pictures is */
#define BIT     (1u << 24)

/* Kept at a warm restart: the next picture has the next number. */
static uint32_t number;

static struct {
    uint32_t size;
    uint8_t pixels[WIDTH * HEIGHT];
} picture;

static struct packet packet;

/* Returns the next number of a generator, which places the stars. */
static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

void camera_job(intptr_t argument) {
    uint32_t state = ++number;
    memset(picture.pixels, 0, sizeof picture.pixels);
    for (int star = 0; star < STARS; star++) {
        picture.pixels[next_random(&state) % sizeof picture.pixels] = 255;
    }
    picture.size = sizeof picture.pixels;
    if (number % DAMAGED == 0) {
        picture.size |= BIT;
    }
    takt_assert(takt_semaphore_signal(TAKT_SEMAPHORE_taken) == TAKT_OK);
}

/* Returns the length of the run of equal pixels at a place, at most what a byte can say. */
static uint32_t run_at(uint32_t place) {
    uint32_t length = 1;
    while (length < UINT8_MAX && place + length < picture.size &&
           picture.pixels[place + length] == picture.pixels[place]) {
        length++;
    }
    return length;
}

void compress_job(intptr_t argument) {
    takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_taken) == TAKT_OK);
    packet = (struct packet){.picture = number};
    uint32_t used = 0;
    for (uint32_t place = 0; place < picture.size; used += 2) {
        uint32_t length = run_at(place);
        if (used < sizeof packet.runs) {
            packet.runs[used] = (uint8_t)length;
            packet.runs[used + 1] = picture.pixels[place];
        }
        place += length;
        packet.pixels = place;
    }
    takt_assert(takt_queuing_port_send(TAKT_QUEUING_PORT_packets, &packet, sizeof packet) ==
                TAKT_OK);
}
