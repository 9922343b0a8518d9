/* SPDX-License-Identifier: Apache-2.0 */
/* Spin locks of the application: a few instructions that exclude each other on any cores, in tasks
 * and handlers. TOPPERS/FMP's; of the kind that the description chooses for the kernel's own.
 *
 * Who asks locks the CPU (takt/context.h) and then spins, with interrupts disabled, until it holds
 * the lock; giving it back unlocks the CPU. So a core holds or waits for one, and whoever holds one
 * calls no service but those that a locked CPU has. A job or a handler that ends gives it back.
 *
 * Bound of the wait, but with the kinds `tas` and `ttas`: (cores - 1) holds of this lock. It adds
 * to the latency of every interrupt of the core, as the hold itself does. */
#ifndef INCLUDE_TAKT_SPIN_LOCK_H
#define INCLUDE_TAKT_SPIN_LOCK_H

#include <takt/types.h>

/* Locks the CPU and takes the lock (loc_spn).
 * Context: any, with the CPU unlocked. Errors: TAKT_E_ID; TAKT_E_CTX: the CPU is locked, or the
 * core holds a spin lock. */
TAKT_MUST_USE takt_error takt_spin_lock_acquire(takt_id lock);

/* The same, if nobody holds the lock or waits for it; else does nothing (try_spn). Time: constant.
 * Context: as above. Errors: as above; TAKT_E_OBJ: somebody does. */
TAKT_MUST_USE takt_error takt_spin_lock_try(takt_id lock);

/* Gives the lock back and unlocks the CPU, also where takt_cpu_lock was called meanwhile (unl_spn).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_ILUSE: this core does not hold it. */
takt_error takt_spin_lock_release(takt_id lock);

#endif
