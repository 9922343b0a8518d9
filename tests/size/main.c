/* SPDX-License-Identifier: Apache-2.0 */
/* A job that does nothing: what the image holds is the kernel's. */
#include <takt/takt.h>

void only(intptr_t argument) {
    (void)argument;
}
