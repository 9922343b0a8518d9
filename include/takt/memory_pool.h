/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of memory blocks of one size, for tasks of any cores. uITRON 4.0 section 4.6.1. */
#ifndef INCLUDE_TAKT_MEMORY_POOL_H
#define INCLUDE_TAKT_MEMORY_POOL_H

#include <takt/types.h>

/* Takes a block, waiting for one in the order of the description (get_mpf). What is in it is what
 * its last owner left there. Blocks are aligned to 64 bytes.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null. */
TAKT_MUST_USE takt_error takt_memory_pool_get(takt_id pool, void **block);

/* The same without waiting (pget_mpf).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_TMOUT: there is none. */
TAKT_MUST_USE takt_error takt_memory_pool_try_get(takt_id pool, void **block);

/* As takt_memory_pool_get, for at most `timeout` (tget_mpf); 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: null, negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_memory_pool_get_for(takt_id pool, void **block, takt_time timeout);

/* Gives a block back: to the first task that waits for one, or to the pool (rel_mpf). Any task may
 * do it.
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: no block of this pool, or nobody has it. */
takt_error takt_memory_pool_release(takt_id pool, void *block);

/* Makes the pool what it was at the start: all blocks free, also those
 * that somebody still has, who must not use or release them any more (ini_mpf). Who waits for it
 * gets TAKT_E_DLT. In sections of their own, so what others do meanwhile may come between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines,
 * and this one is not `unrestricted`. */
takt_error takt_memory_pool_reset(takt_id pool);

#endif
