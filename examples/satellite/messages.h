/* SPDX-License-Identifier: Apache-2.0 */
/* The messages between the partitions. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdint.h>

struct attitude {
    double angle; /* degrees from where the camera shall look */
    double rate;  /* degrees per second */
    uint64_t steps;
};

#define PACKET 512
#define HEADER 8

/* A picture as runs of equal pixels: pairs of a length and a value. */
struct packet {
    uint32_t picture;
    uint32_t pixels; /* the number that the runs stand for */
    uint8_t runs[PACKET - HEADER];
};

#endif
