/* SPDX-License-Identifier: Apache-2.0 */
/* The control storm whose tasks also migrate: orders and requests run after tasks that leave. */
#define MIGRATES
#ifndef STIRS
#define STIRS  150
#define ENOUGH 10
#endif
#include "../control/storm.c"
