/* SPDX-License-Identifier: Apache-2.0 */
/* Event flags: 32 bits that tasks of any cores set, and wait for in any combination. uITRON 4.0
 * section 4.4.2. */
#ifndef INCLUDE_TAKT_FLAG_H
#define INCLUDE_TAKT_FLAG_H

#include <takt/types.h>

/* What a task waits for: all bits of its pattern (TWF_ANDW), or any of them (TWF_ORW). */
enum { TAKT_FLAG_ALL = 0, TAKT_FLAG_ANY = 1 };

/* Sets the bits of `pattern`, and wakes every task that then has what it waits for, in the order
 * of the description. A flag that clears (`clear`) is cleared as a whole with each task that it
 * wakes, so that those behind may find nothing (set_flg). One section with interrupts disabled
 * looks at the waiting tasks, and then one wakes each. Time: bounded by the waiting tasks. Context:
 * any. Errors: TAKT_E_ID. */
takt_error takt_flag_set(takt_id flag, uint32_t pattern);

/* Keeps the bits of `pattern` only (clr_flg). Context: any. Errors: TAKT_E_ID. */
takt_error takt_flag_clear(takt_id flag, uint32_t pattern);

/* Waits until the flag has all or any of the bits of `pattern`; `*found`: the whole flag as it
 * was then, before it was cleared (wai_flg).
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: the pattern is 0, the mode is neither,
 * null; TAKT_E_ILUSE: another task waits, and the flag is not `shared`. */
TAKT_MUST_USE takt_error takt_flag_wait(takt_id flag, uint32_t pattern, int mode, uint32_t *found);

/* The same without waiting (pol_flg).
 * Context: any. Errors: as above but TAKT_E_CTX; TAKT_E_TMOUT: it has not. */
TAKT_MUST_USE takt_error takt_flag_try(takt_id flag, uint32_t pattern, int mode, uint32_t *found);

/* As takt_flag_wait, for at most `timeout` (twai_flg); 0 polls.
 * Errors: as above; TAKT_E_PAR: also a negative timeout; TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_flag_wait_for(takt_id flag, uint32_t pattern, int mode,
                                            uint32_t *found, takt_time timeout);

/* Makes the flag what it was at the start: the described bits (ini_flg). Who waits for it gets
 * TAKT_E_DLT, in sections of their own, so what others do meanwhile may come between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines,
 * and this one is not `unrestricted`. */
takt_error takt_flag_reset(takt_id flag);

#endif
