/* SPDX-License-Identifier: Apache-2.0 */
/* The control storm with tasks that also migrate, so that calls and requests have to follow them.
 */
#define MIGRATES
#ifndef STIRS
#define STIRS  150
#define ENOUGH 10
#endif
#include "../control/storm.c"
