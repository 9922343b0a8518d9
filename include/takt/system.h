/* SPDX-License-Identifier: Apache-2.0 */
/* The system as a whole: its time, its console, its end. */
#ifndef INCLUDE_TAKT_SYSTEM_H
#define INCLUDE_TAKT_SYSTEM_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the time since the epoch in nanoseconds (get_tim), the same on every core. Context: any.
 * */
takt_time takt_time_now(void);

/* The calendar: nanoseconds since a moment that the application chooses, at first the epoch;
 * negative before it. Setting it changes the calendar of all cores at once, and nothing else:
 * timeouts, releases, deadlines and alarms depend on takt_time_now(), which cannot be set
 * (set_tim).
 * Context: any. Errors: TAKT_E_PAR: more than 2^62 ns (146 years) from 0. */
takt_time takt_calendar_now(void);
takt_error takt_calendar_set(takt_time time);

/* Puts text into this core's console ring. The console core sends it to the UART when it is idle.
 * The call never waits: bytes that do not fit into the ring are dropped and counted. Pieces of up
 * to TAKT_CONSOLE_PIECE bytes are sent as a whole.
 * Context: any. Errors: TAKT_E_PAR: null; TAKT_E_QOVR: bytes were dropped. */
#define TAKT_CONSOLE_PIECE 128
takt_error takt_console_write(const char *text, size_t size);

/* Ends the run: stops every core and parks the machine; `code` (0 to 255) becomes the exit status
 * of `takt run`. Context: any. */
TAKT_NO_RETURN void takt_system_shutdown(int code);

/* Stops the machine and prints a message with the core, the task, the registers and a backtrace.
 * Context: any. */
TAKT_NO_RETURN void takt_panic(const char *message);

/* Panics if the condition does not hold; always compiled in. */
#define takt_assert(condition)                                                                     \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : takt_panic("assertion failed: " #condition ", " __FILE__ ":" TAKT_TEXT(__LINE__)))
#define TAKT_TEXT(x)    TAKT_TEXT_OF(x)
#define TAKT_TEXT_OF(x) #x

#ifdef __cplusplus
}
#endif

#endif
