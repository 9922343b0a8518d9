/* SPDX-License-Identifier: Apache-2.0 */
/* The system as a whole: its time, its console, its end. */
#ifndef INCLUDE_TAKT_SYSTEM_H
#define INCLUDE_TAKT_SYSTEM_H

#include <takt/types.h>

/* The time since the epoch (get_tim), the same on every core. Context: any. */
takt_time takt_time_now(void);

/* The calendar's time: nanoseconds since a moment of the application's choosing, at first the
 * epoch; negative before it. Setting it moves the calendar for all cores at once, and nothing else:
 * timeouts, releases, deadlines and alarms go by takt_time_now(), which nobody can set (set_tim).
 * Context: any. Errors: TAKT_E_PAR: more than 2^62 ns (146 years) from 0. */
takt_time takt_calendar_now(void);
takt_error takt_calendar_set(takt_time time);

/* Puts text into this core's console ring, from where it reaches the UART when the console core
 * is idle. Never waits: what finds the ring full is dropped and counted. Pieces of up to
 * TAKT_CONSOLE_PIECE bytes stay whole. Context: any. Errors: TAKT_E_PAR: null; TAKT_E_QOVR:
 * something was dropped. */
#define TAKT_CONSOLE_PIECE 128
takt_error takt_console_write(const char *text, size_t size);

/* Ends the run: stops every core and parks the machine; `code` (0 to 255) becomes the exit status
 * of `takt run`. Context: any. */
_Noreturn void takt_system_shutdown(int code);

/* Stops the machine with a message: core, task, registers and a backtrace. Context: any. */
_Noreturn void takt_panic(const char *message);

/* Panics when the condition does not hold; always compiled in. */
#define takt_assert(condition)                                                                     \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : takt_panic("assertion failed: " #condition ", " __FILE__ ":" TAKT_TEXT(__LINE__)))
#define TAKT_TEXT(x)    TAKT_TEXT_OF(x)
#define TAKT_TEXT_OF(x) #x

#endif
