/* SPDX-License-Identifier: Apache-2.0 */
/* Event flags: 32 bits that tasks of any cores set, and wait for in any combination. uITRON 4.0
 * section 4.4.2. */
#ifndef INCLUDE_TAKT_FLAG_H
#define INCLUDE_TAKT_FLAG_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a task waits for: all bits of its pattern (TWF_ANDW), or any of them (TWF_ORW). */
enum { TAKT_FLAG_ALL = 0, TAKT_FLAG_ANY = 1 };

/* Sets the bits of `pattern`, and wakes every task whose condition is then fulfilled, in the
 * described order (set_flg). A flag with `clear` is cleared as a whole for each task that it wakes,
 * so that later tasks may not find their bits. One section with interrupts disabled examines the
 * waiting tasks; then each task is woken in a section of its own.
 * Time: bounded by the waiting tasks. Context: any. Errors: TAKT_E_ID. */
takt_error takt_flag_set(takt_id flag, uint32_t pattern);

/* Clears all bits except those of `pattern` (clr_flg). Context: any. Errors: TAKT_E_ID. */
takt_error takt_flag_clear(takt_id flag, uint32_t pattern);

/* Waits until the flag has all or any of the bits of `pattern` (wai_flg). `*found` receives the
 * whole flag at that time, before it is cleared.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_PAR: the pattern is 0, the mode is unknown,
 * null; TAKT_E_ILUSE: another task waits, and the flag is not `shared`. */
TAKT_MUST_USE takt_error takt_flag_wait(takt_id flag, uint32_t pattern, int mode, uint32_t *found);

/* Examines the flag like takt_flag_wait, without waiting (pol_flg).
 * Context: any. Errors: those of takt_flag_wait except TAKT_E_CTX; TAKT_E_TMOUT: the bits are not
 * set. */
TAKT_MUST_USE takt_error takt_flag_try(takt_id flag, uint32_t pattern, int mode, uint32_t *found);

/* Waits like takt_flag_wait, for at most `timeout` (twai_flg); 0 polls.
 * Context: task. Errors: those of takt_flag_wait; TAKT_E_PAR: also a negative timeout;
 * TAKT_E_TMOUT. */
TAKT_MUST_USE takt_error takt_flag_wait_for(takt_id flag, uint32_t pattern, int mode,
                                            uint32_t *found, takt_time timeout);

/* Gives the flag its described bits, as at the start (ini_flg). The waits of waiting tasks end with
 * TAKT_E_DLT, each in a section of its own, so calls of other tasks may come in between.
 * Context: task. Errors: TAKT_E_ID, TAKT_E_CTX; TAKT_E_ILUSE: tasks have deadlines, and this one is
 * not `unrestricted`. */
takt_error takt_flag_reset(takt_id flag);

#ifdef __cplusplus
}
#endif

#endif
