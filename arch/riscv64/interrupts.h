/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of devices at the boot: which controller, which contexts, which sources. */
#ifndef ARCH_INTERRUPTS_H
#define ARCH_INTERRUPTS_H

#include <stdint.h>

#include "devicetree.h"

/* Looks at a device that may be an interrupt controller. The harts have been read. */
void interrupts_note(const struct devicetree *tree, int32_t node, int32_t parent);

/* Finds the devices of the described interrupts; panics when one is not there. */
void interrupts_read(const struct devicetree *tree);

/* Maps the controller and the devices, and prepares all sources; before other harts start. */
void interrupts_start(void);

/* Lets this core be interrupted by what is delivered to it, and enables what begins enabled. */
void interrupts_open(uint32_t core);

#endif
