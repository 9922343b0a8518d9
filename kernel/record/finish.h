/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_FINISH_H
#define KERNEL_FINISH_H

#include <takt/types.h>

/* Writes the last figures, once all other cores have stopped. `time`: when they were told to. */
void record_finish(takt_time time);

#endif
