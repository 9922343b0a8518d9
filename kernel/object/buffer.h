/* SPDX-License-Identifier: Apache-2.0 */
/* Single-writer buffers: docs/design/buffers.md has the argument. */
#ifndef KERNEL_BUFFER_H
#define KERNEL_BUFFER_H

#include "object/buffer_slots.h"

extern struct buffer takt_buffers[];                          /* by ID - 1 (configurator) */
extern const struct takt_buffer_config takt_buffer_configs[]; /* the same */
extern const uint32_t takt_buffer_count;

/* Writes zeros, as before the first value. In place of the writer, which has no job. Bound: the
 * size. */
void buffer_clear(takt_id id);

#endif
