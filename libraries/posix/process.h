/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARIES_POSIX_PROCESS_H
#define LIBRARIES_POSIX_PROCESS_H

#include <takt/types.h>

/* Returns the time for which the cores have had something to run, in all; in nanoseconds. */
takt_time process_time(void);

#endif
