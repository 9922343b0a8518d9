/* SPDX-License-Identifier: Apache-2.0 */
/* The services of the calendar, include/takt/system.h. */
#include "atomic.h"
#include "core.h"
#include "time/time.h"

/* The calendar less the time. One word for all cores: who reads it sees all of a change or none. It
 * orders nothing else, so relaxed. */
static takt_time calendar_offset;

takt_time takt_calendar_now(void) {
    return takt_time_now() + __atomic_load_n(&calendar_offset, __ATOMIC_RELAXED);
}

takt_error takt_calendar_set(takt_time time) {
    if (time > INT64_MAX / 2 || time < -(INT64_MAX / 2)) {
        return refused(TAKT_E_PAR); /* a sum would overflow one day */
    }
    if (cpu_locked()) {
        return refused(TAKT_E_CTX);
    }
    unsigned long interrupts = arch_interrupts_disable(); /* the time and its use are one step */
    atomic_store_relaxed(&calendar_offset, time - takt_time_now());
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}
