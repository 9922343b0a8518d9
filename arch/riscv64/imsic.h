/* SPDX-License-Identifier: Apache-2.0 */
/* The controller of an APLIC that sends messages. Not in drivers/: a hart reads what has come to it
 * in CSRs. */
#ifndef ARCH_IMSIC_H
#define ARCH_IMSIC_H

#include "interrupt_controller.h"

/* The number of sources that an interrupt file can tell apart. */
#define INTERRUPT_IDENTITIES_MAX 255

extern const struct interrupt_driver imsic_driver;

#endif
