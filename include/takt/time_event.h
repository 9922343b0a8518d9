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

#ifdef __cplusplus
extern "C" {
#endif

/* Starts or restarts a cyclic handler: its first call is due `offset` from now, and each further
 * one a period after the previous one was due, so that the calls do not drift. No call is due less
 * than a period after the last one, even if the handler is stopped and started in between
 * (sta_cyc).
 * Context: any; the handler may belong to another core. Errors: TAKT_E_ID. */
takt_error takt_cyclic_start(takt_id cyclic);

/* Stops a cyclic handler: no call begins after the return. A call that has begun may still run on
 * another core. Stopping a stopped handler does nothing (stp_cyc).
 * Context: any. Errors: TAKT_E_ID. */
takt_error takt_cyclic_stop(takt_id cyclic);

/* Calls the handler of an alarm once, when `delay` nanoseconds have passed and not before; an
 * earlier start whose call has not come is cancelled (sta_alm). This is the kernel's
 * high-resolution one-shot timer: there is no periodic tick, and the call comes with the first tick
 * of the clock that is late enough. If the description gives the alarm a separation, no call is due
 * earlier than that after the last one.
 * Context: any; the alarm may belong to another core. Errors: TAKT_E_ID; TAKT_E_PAR: negative. */
takt_error takt_alarm_start(takt_id alarm, takt_time delay);

/* Starts an alarm for a time of takt_time_now(); a time that has passed is due at once. A chain of
 * alarms, each of which starts the next one `step` after its own time, does not drift.
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: negative. */
takt_error takt_alarm_start_at(takt_id alarm, takt_time time);

/* Stops an alarm, like takt_cyclic_stop (stp_alm). Context: any. Errors: TAKT_E_ID. */
takt_error takt_alarm_stop(takt_id alarm);

#ifdef __cplusplus
}
#endif

#endif
