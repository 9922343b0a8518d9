/* SPDX-License-Identifier: Apache-2.0 */
/* Single-writer buffers: state that one task publishes and others read, across cores.
 *
 * A reader gets the latest value that was written whole. Neither side ever waits for the other or
 * repeats its copy: the time of both is bounded by the size and the number of readers. Before the
 * first write a buffer holds zeros. */
#ifndef INCLUDE_TAKT_BUFFER_H
#define INCLUDE_TAKT_BUFFER_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Publishes `value`, as many bytes as the description says.
 * Context: task, the buffer's writer.
 * Errors: TAKT_E_ID, TAKT_E_PAR: null; TAKT_E_ILUSE: another task is the writer. */
takt_error takt_buffer_write(takt_id buffer, const void *value);

/* Copies the latest value to `value`.
 * Context: task, one of the buffer's readers.
 * Errors: TAKT_E_ID, TAKT_E_PAR: null; TAKT_E_ILUSE: the task is not one of the readers. */
TAKT_MUST_USE takt_error takt_buffer_read(takt_id buffer, void *value);

#ifdef __cplusplus
}
#endif

#endif
