/* SPDX-License-Identifier: Apache-2.0 */
/* What other cores ask of a core: docs/design/kernel.md, "The inbox". All with interrupts disabled.
 */
#ifndef KERNEL_INBOX_H
#define KERNEL_INBOX_H

#include "core.h"

/* Pushes what is not linked yet into a core's inbox, and interrupts the core if that was empty.
 * Wait-free. Interrupts disabled. */
void inbox_push(struct core *core, struct post *post);

/* Answers what is asked of this core first, a bounded number; the rest interrupts again. */
void inbox_answer(struct core *core);

#endif
