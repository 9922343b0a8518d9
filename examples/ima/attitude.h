/* SPDX-License-Identifier: Apache-2.0 */
/* The messages between the partitions `control` and `display`. */
#ifndef ATTITUDE_H
#define ATTITUDE_H

#include <stdint.h>

struct attitude {
    uint64_t jobs;
    uint64_t angle;
};

struct key {
    uint64_t number;
};

#endif
