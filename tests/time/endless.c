/* SPDX-License-Identifier: Apache-2.0 */
/* A job that never ends. */
#include <takt/takt.h>

void endless_job(intptr_t argument) {
    for (volatile int forever = 1; forever;) {
    }
}

void ticking_job(intptr_t argument) {
}
