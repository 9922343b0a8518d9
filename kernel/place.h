/* SPDX-License-Identifier: Apache-2.0 */
/* Where functions stand, and what they keep. */
#ifndef KERNEL_PLACE_H
#define KERNEL_PLACE_H

#include "kernel_choice.h"

/* Called in few cases by what is called often, which then has no registers to save for it. */
#define RARE __attribute__((noinline, cold))

/* Not a part of what calls it, which then saves fewer registers where it does not call it. */
#define OUT_OF_LINE __attribute__((noinline))

/* Without a frame where all that it calls comes last: a backtrace does not see it. */
#if !defined __clang__ && !defined __SANITIZE_UNDEFINED__
#define FRAMELESS __attribute__((optimize("omit-frame-pointer")))
#else
#define FRAMELESS
#endif

/* What it calls is a part of it, unless that is RARE. */
#define FLAT __attribute__((flatten))

/* STRAIGHT marks a service whose straight way, which neither waits nor wakes, calls nothing where
 * nothing is locked, recorded or measured: it then has no frame, and a backtrace finds its caller
 * in `ra`, as that of any leaf. What it calls last, APART, has one. Elsewhere the two are one
 * function, in which GCC shall not think the call rare. LEAVES_STRAIGHT: its condition.
 * IN_STRAIGHT: what several such services have in common, a part of each; elsewhere one function.
 */
#if SINGLE_CORE && !EVENTS && !RIGHTS && !defined __clang__ && !defined __SANITIZE_UNDEFINED__
#define STRAIGHT                   __attribute__((optimize("omit-frame-pointer")))
#define APART                      OUT_OF_LINE
#define LEAVES_STRAIGHT(condition) __builtin_expect((condition), 0)
#define IN_STRAIGHT                inline __attribute__((always_inline))
#else
#define STRAIGHT
#define APART
#define LEAVES_STRAIGHT(condition) __builtin_expect((condition), 1)
#define IN_STRAIGHT                OUT_OF_LINE
#endif

#endif
