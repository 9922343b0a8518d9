/* SPDX-License-Identifier: Apache-2.0 */
/* How the programs of takt calibrate say which of the kernel's paths they have been through. */
#ifndef PATH_H
#define PATH_H

#include <takt/takt.h>

#include "calibrate.h" /* the kernel's paths */

/* Records that a path has been run: the calibration observes the calls of this function. */
__attribute__((noipa)) static void exercised(enum path path) {
    __asm__ volatile("" ::"r"(path));
}

/* Records that a path has been run, unless the kernel has refused the call. */
static inline void returned(enum path path, takt_error result) {
    if (result == TAKT_OK) {
        exercised(path);
    }
}

#endif
