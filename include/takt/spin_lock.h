/* SPDX-License-Identifier: Apache-2.0 */
/* Spin locks of the application: mutual exclusion of a few instructions between any cores, in tasks
 * and handlers. They come from TOPPERS/FMP, and have the algorithm that the description chooses for
 * the kernel's own spin locks.
 *
 * The acquiring core locks its CPU (takt/context.h) and then spins, with interrupts disabled, until
 * it holds the lock; releasing the lock unlocks the CPU. So a core holds or waits for at most one
 * spin lock, and its holder may call only the services that a locked CPU allows. A job or a handler
 * that ends releases the lock.
 *
 * Bound of the wait, except with the algorithms `tas` and `ttas`: (cores - 1) holds of this lock.
 * It adds to the latency of every interrupt of the core, as the hold itself does. */
#ifndef INCLUDE_TAKT_SPIN_LOCK_H
#define INCLUDE_TAKT_SPIN_LOCK_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Locks the CPU and acquires the lock (loc_spn). Context: any, with the CPU unlocked.
 * Errors: TAKT_E_ID; TAKT_E_CTX: the CPU is locked, or the core holds a spin lock. */
TAKT_MUST_USE takt_error takt_spin_lock_acquire(takt_id lock);

/* Locks the CPU and acquires the lock if no core holds it or waits for it; otherwise does nothing
 * (try_spn).
 * Time: constant. Context: any, with the CPU unlocked. Errors: those of takt_spin_lock_acquire;
 * TAKT_E_OBJ: a core holds the lock or waits for it. */
TAKT_MUST_USE takt_error takt_spin_lock_try(takt_id lock);

/* Releases the lock and unlocks the CPU, even if takt_cpu_lock was called in the meantime
 * (unl_spn).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_ILUSE: this core does not hold it. */
takt_error takt_spin_lock_release(takt_id lock);

#ifdef __cplusplus
}
#endif

#endif
