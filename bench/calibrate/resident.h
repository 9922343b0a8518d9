/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs that measure resident cores have, each in its own way. */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdint.h>

/* The rest of the device's service routine. */
void device_interrupts(intptr_t core);

/* What a neighbour does before it loads the memory. */
void neighbour_begins(void);

#endif
