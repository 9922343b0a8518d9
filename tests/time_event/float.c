/* SPDX-License-Identifier: Apache-2.0 */
/* A handler that uses floating point, which only tasks may. */
#include <takt/takt.h>

static volatile double sum = 1;

void floating_handler(intptr_t argument) {
    sum = sum * 1.5;
}

void floating_job(intptr_t argument) {
    for (;;) {
        sum = sum + 1;
    }
}
