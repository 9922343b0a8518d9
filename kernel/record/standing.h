/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_STANDING_H
#define KERNEL_STANDING_H

/* Writes where each job stands, once all other cores have stopped: docs/design/record.md,
 * "Unfinished jobs". */
void record_standing(void);

#endif
