/* SPDX-License-Identifier: Apache-2.0 */
/* The message from the partition `control` to the partition `display`. */
#ifndef ATTITUDE_H
#define ATTITUDE_H

#include <stdint.h>

struct attitude {
    uint64_t jobs;
    uint64_t angle;
};

#endif
