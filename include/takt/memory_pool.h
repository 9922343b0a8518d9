/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of memory blocks of one size, for tasks of any cores. uITRON 4.0 section 4.6.1. */
#ifndef INCLUDE_TAKT_MEMORY_POOL_H
#define INCLUDE_TAKT_MEMORY_POOL_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes a block, or waits for one; waiting tasks are served in the described order (get_mpf). The
 * block holds what its last owner left in it. Blocks are aligned to 64 bytes.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null. */
TAKT_MUST_USE takt_error takt_memory_pool_get(takt_id pool, void **block);

/* Takes a block without waiting (pget_mpf).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_TMOUT: no block is free. */
TAKT_MUST_USE takt_error takt_memory_pool_try_get(takt_id pool, void **block);

/* Takes a block like takt_memory_pool_get, waiting for at most `timeout` (tget_mpf); 0 does not
 * wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_memory_pool_get_for(takt_id pool, void **block, takt_time timeout);

/* Gives a block to the first waiting task, or else back to the pool (rel_mpf). Any task may call
 * it.
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: not a block of this pool, or the block is free. */
takt_error takt_memory_pool_release(takt_id pool, void *block);

/* Makes all blocks free, as at the start (ini_mpf). Tasks that still have a block must neither use
 * nor release it any more. The waits of waiting tasks end with TAKT_E_DLT, each in a section of its
 * own, so calls of other tasks may come in between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines, and this one is
 * not `unrestricted`. */
takt_error takt_memory_pool_reset(takt_id pool);

#ifdef __cplusplus
}
#endif

#endif
