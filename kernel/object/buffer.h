/* SPDX-License-Identifier: Apache-2.0 */
/* Single-writer buffers: docs/design/buffers.md has the argument. */
#ifndef KERNEL_BUFFER_H
#define KERNEL_BUFFER_H

#include <stdint.h>

struct buffer {
    uint32_t latest; /* slot of the newest value; written by the writer, release */
} __attribute__((aligned(64)));

extern struct buffer takt_buffers[]; /* by ID - 1 (configurator) */

#endif
