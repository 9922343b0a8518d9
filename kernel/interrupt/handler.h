/* SPDX-License-Identifier: Apache-2.0 */
/* Calling the application's handlers. */
#ifndef KERNEL_HANDLER_H
#define KERNEL_HANDLER_H

#include "core.h"

/* Calls a handler of the application, and records when; from the core's own trap. Floating point is
 * off meanwhile: the interrupted task's registers are still there, and nobody has saved them.
 * `limit`: of how long the call takes. */
void handler_call(struct core *core, void (*function)(intptr_t argument), intptr_t argument,
                  enum takt_record_handler kind, takt_id id, uint32_t limit);

#endif
