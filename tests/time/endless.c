/* SPDX-License-Identifier: Apache-2.0 */
/* Never ends by itself. */
#include <takt/takt.h>

void endless_job(intptr_t argument) {
    for (volatile int forever = 1; forever;) {
    }
}

void ticking_job(intptr_t argument) {
}
