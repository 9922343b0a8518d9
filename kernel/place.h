/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are not to become parts of their callers. */
#ifndef KERNEL_PLACE_H
#define KERNEL_PLACE_H

/* Known to `takt calibrate` by its name (docs/design/calibration.md): it stays a function of its
 * own, under that name, whatever the compiler could gain by making it a part of its callers. */
#ifdef __clang__
#define PLACE __attribute__((noinline))
#else
#define PLACE __attribute__((noinline, noclone))
#endif

/* Called in few cases by what is called often, which then has no registers to save for it. */
#define RARE __attribute__((noinline, cold))

#endif
