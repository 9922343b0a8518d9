/* SPDX-License-Identifier: Apache-2.0 */
/* Single-writer buffers: docs/design/buffers.md has the argument. */
#ifndef KERNEL_BUFFER_H
#define KERNEL_BUFFER_H

#include "config.h"

struct takt_buffer_config {
    const char *name;
    uint32_t size;   /* of a value, bytes */
    uint32_t stride; /* from one slot to the next */
    uint32_t reader_count;
    takt_id writer;
    const uint16_t *readers; /* IDs, ascending */
    uint8_t *slots;          /* reader_count + 2 of them */
    uint32_t *claims;        /* a word a reader; see buffer.c */
};

struct buffer {
    uint32_t latest; /* slot of the newest value; written by the writer, release */
} __attribute__((aligned(64)));

extern struct buffer takt_buffers[];                          /* by ID - 1 (configurator) */
extern const struct takt_buffer_config takt_buffer_configs[]; /* the same */
extern const uint32_t takt_buffer_count;

#endif
