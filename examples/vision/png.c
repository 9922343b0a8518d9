/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pictures as PNG (ISO/IEC 15948), with blocks that are stored and not compressed, so that
 * a run's output is there to be looked at. */
#include <stdio.h>
#include <string.h>

#include "vision.h"

enum { ROW = 1 + 3 * WIDTH, STORED = 5 + ROW };

static const uint8_t YELLOW[3] = {255, 220, 0}, GREEN[3] = {0, 230, 60};

static uint8_t image[HEIGHT][ROW]; /* each row begins with its filter, 0: none */

static void point(int x, int y, const uint8_t colour[3]) {
    if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT) {
        memcpy(&image[y][1 + 3 * x], colour, 3);
    }
}

static void frame(int left, int top, int size, const uint8_t colour[3]) {
    for (int at = 0; at < size; at++) {
        point(left + at, top, colour);
        point(left + at, top + size - 1, colour);
        point(left, top + at, colour);
        point(left + size - 1, top + at, colour);
    }
}

static void big_endian(uint8_t *to, uint32_t value) {
    for (int byte = 0; byte < 4; byte++) {
        to[byte] = (uint8_t)(value >> (24 - 8 * byte));
    }
}

/* CRC-32 as of Ethernet, a byte at a time. */
static uint32_t crc(uint32_t sum, const uint8_t *bytes, size_t count) {
    static uint32_t table[256];
    for (uint32_t byte = 0; table[255] == 0 && byte < 256; byte++) {
        table[byte] = byte;
        for (int bit = 0; bit < 8; bit++) {
            table[byte] = table[byte] >> 1 ^ (table[byte] & 1 ? 0xedb88320 : 0);
        }
    }
    for (size_t index = 0; index < count; index++) {
        sum = sum >> 8 ^ table[(sum ^ bytes[index]) & 0xff];
    }
    return sum;
}

static void write_chunk(FILE *file, const char *type, const uint8_t *data, size_t size) {
    uint8_t head[8], tail[4];
    big_endian(head, (uint32_t)size);
    memcpy(head + 4, type, 4);
    fwrite(head, 1, sizeof head, file);
    fwrite(data, 1, size, file);
    big_endian(tail, ~crc(crc(~0U, head + 4, 4), data, size));
    fwrite(tail, 1, sizeof tail, file);
}

/* The rows as a stream of zlib, a block a row, and the sum of Adler at the end. */
static size_t store(uint8_t *to) {
    uint32_t low = 1, high = 0;
    to[0] = 0x78;
    to[1] = 0x01;
    uint8_t *at = to + 2;
    for (int row = 0; row < HEIGHT; row++) {
        const uint8_t head[5] = {row == HEIGHT - 1, ROW & 0xff, ROW >> 8, ~ROW & 0xff,
                                 (~ROW >> 8) & 0xff};
        memcpy(at, head, sizeof head);
        memcpy(at + 5, image[row], ROW);
        for (int index = 0; index < ROW; index++) {
            low += image[row][index]; /* no overflow in the 961 bytes of a row */
            high += low;
        }
        low %= 65521;
        high %= 65521;
        at += STORED;
    }
    big_endian(at, high << 16 | low);
    return (size_t)(at + 4 - to);
}

bool write_png(const char *path, const uint8_t *picture, const struct sighting *sighting,
               const struct track *tracked) {
    static const uint8_t SIGNATURE[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static uint8_t stored[2 + HEIGHT * STORED + 4];
    for (int at = 0; at < WIDTH * HEIGHT; at++) {
        memset(&image[at / WIDTH][1 + 3 * (at % WIDTH)], picture[at], 3);
    }
    for (int index = 0; index < sighting->count; index++) {
        const struct box *box = &sighting->faces[index];
        frame(box->left, box->top, box->size, YELLOW);
    }
    for (int index = 0; index < MAX_TRACKS; index++) {
        const struct track *track = &tracked[index];
        int size = (int)track->size - 4;
        frame((int)track->x - size / 2, (int)track->y - size / 2, size, GREEN);
    }
    FILE *file = fopen(path, "wb");
    if (!file) {
        return false;
    }
    uint8_t header[13] = {[8] = 8, [9] = 2}; /* 8 bits for each of red, green and blue */
    big_endian(header, WIDTH);
    big_endian(header + 4, HEIGHT);
    fwrite(SIGNATURE, 1, sizeof SIGNATURE, file);
    write_chunk(file, "IHDR", header, sizeof header);
    write_chunk(file, "IDAT", stored, store(stored));
    write_chunk(file, "IEND", 0, 0);
    return fclose(file) == 0;
}
