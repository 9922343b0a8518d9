/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_REQUEST_ANSWER_H
#define KERNEL_REQUEST_ANSWER_H

#include "core.h"

/* Carries out what other cores have requested of a task, on its owner; a core that is no longer the
 * owner passes the post on. Interrupts disabled. */
void request_answer(struct post *post);

#endif
