/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are not to become parts of their callers. */
#ifndef KERNEL_PLACE_H
#define KERNEL_PLACE_H

/* Called in few cases by what is called often, which then has no registers to save for it. */
#define RARE __attribute__((noinline, cold))

#endif
