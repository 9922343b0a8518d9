/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the kernel calls at times: cyclic handlers and alarms, each on the core that the
 * description says. uITRON 4.0 sections 4.7.2 and 4.7.3.
 *
 * A handler is `void handler(intptr_t argument)` and runs in interrupt context: on the core's trap
 * stack, before every task of the core, interrupts disabled. It may call what its header calls
 * "Context: any", and must not use floating point (the kernel stops itself if it does). */
#ifndef INCLUDE_TAKT_TIME_EVENT_H
#define INCLUDE_TAKT_TIME_EVENT_H

#include <takt/types.h>

/* Starts a cyclic handler, or starts it anew: its first call is due `offset` from now, each further
 * one a period after the one before was due, so that nothing drifts. No call is due less than a
 * period after the last one, whoever starts and stops it in between (sta_cyc).
 * Context: any; the handler may be another core's. Errors: TAKT_E_ID. */
takt_error takt_cyclic_start(takt_id cyclic);

/* Stops it: no call begins after the return; one that has begun may still run, on another core.
 * Of one that is stopped, nothing (stp_cyc). Context: any. Errors: TAKT_E_ID. */
takt_error takt_cyclic_stop(takt_id cyclic);

/* Calls the handler of an alarm once, when `delay` nanoseconds have passed and not before; a start
 * that is not over yet is forgotten (sta_alm). This is the kernel's high-resolution one-shot: there
 * is no tick, the call comes with the clock's first tick that is late enough. If the description
 * gives the alarm a separation, no call is due earlier than that after the last one.
 * Context: any; the alarm may be another core's. Errors: TAKT_E_ID; TAKT_E_PAR: negative. */
takt_error takt_alarm_start(takt_id alarm, takt_time delay);

/* The same at a time of takt_time_now(); one that has passed is due at once. A chain of alarms that
 * each start the next one `step` after the time of the last does not drift.
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: negative. */
takt_error takt_alarm_start_at(takt_id alarm, takt_time time);

/* Stops it, as takt_cyclic_stop (stp_alm). Context: any. Errors: TAKT_E_ID. */
takt_error takt_alarm_stop(takt_id alarm);

#endif
