/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers: tasks of any cores wait until as many have arrived as the description says
 * (`participants`); then all go on, and the barrier is as at the start.
 *
 * Who has arrived is who waits there now: one that gives up, is released from waiting or is
 * terminated has not arrived, and the others wait on for the full number. */
#ifndef INCLUDE_TAKT_BARRIER_H
#define INCLUDE_TAKT_BARRIER_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arrives, and waits for the others. The last task to arrive does not wait; it wakes all others in
 * the order in which they came, one in each section with interrupts disabled.
 * Time: for the last task, bounded by the participants.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX. */
TAKT_MUST_USE takt_error takt_barrier_wait(takt_id barrier);

/* Arrives if all others have arrived; otherwise does nothing.
 * Context: any. Errors: TAKT_E_ID; TAKT_E_TMOUT: others have not arrived. */
TAKT_MUST_USE takt_error takt_barrier_try(takt_id barrier);

/* Arrives and waits like takt_barrier_wait, for at most `timeout`; 0 does not wait.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: negative; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_barrier_wait_for(takt_id barrier, takt_time timeout);

#ifdef __cplusplus
}
#endif

#endif
