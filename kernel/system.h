/* SPDX-License-Identifier: Apache-2.0 */
/* The start and the end of the machine. */
#ifndef KERNEL_SYSTEM_H
#define KERNEL_SYSTEM_H

#include <stdint.h>

#include "core.h"

/* Stops the machine with a message that says what went wrong. `context`: the registers at that
 * moment; null: those of the caller. */
_Noreturn void kernel_panic(const struct context *context, const char *message);

/* Does the same before there is a core block: prints, leaves the message in the record, parks. */
_Noreturn void boot_panic(const char *message);

/* Lets every core that waits in system_wait_for_epoch go on: all cores' blocks are ready. */
void system_start(void);

/* Waits until the boot core has called system_start, calls the start hook, and waits until it has
 * returned on all cores: then the last one fixes time 0 shortly ahead. Interrupts disabled. */
void system_wait_for_epoch(struct core *core);

#endif
