/* SPDX-License-Identifier: Apache-2.0 */
/* A job that does nothing: everything else in the image is the kernel's. */
#include <takt/takt.h>

void only(intptr_t argument) {
    (void)argument;
}
