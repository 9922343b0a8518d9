/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of check points, one for each core, which use only the standard's names: each point
 * asserts that its core has passed exactly the points before it. */
#ifndef TESTS_SEQUENCE_H
#define TESTS_SEQUENCE_H

#include <itron.h>

#include "until.h"

enum { SEQUENCE_CORES = 4 };

static unsigned sequence_points[SEQUENCE_CORES + 1]; /* by core; the points are counted from 1 */

static inline ID sequence_core(void) {
    ID core = 0;
    get_pid(&core);
    return core;
}

/* Passes the point `number` of the calling core. */
#define POINT(number)                                                                              \
    CHECK_IS(__atomic_add_fetch(&sequence_points[sequence_core()], 1, __ATOMIC_ACQ_REL), number)

/* Waits until a core has passed a point, and everything after it has come as far as it can. */
static inline void wait_for_point(ID core, unsigned number) {
    wait_until_count(&sequence_points[core], number);
    wait_a_while();
}

/* Waits for a point while this task keeps its core. */
static inline void spin_for_point(ID core, unsigned number) {
    while (read_count(&sequence_points[core]) < number) {
    }
    SYSUTM end, now;
    get_utm(&end);
    do {
        get_utm(&now);
    } while (now < end + 1000);
}

static inline STAT status_of(ID task) {
    T_RTSK packet = {0};
    CHECK_IS(ref_tsk(task, &packet), E_OK);
    return packet.tskstat;
}

static inline PRI priority_of(ID task) {
    T_RTSK packet = {0};
    CHECK_IS(ref_tsk(task, &packet), E_OK);
    return packet.tskpri;
}

static inline ID core_of(ID task) {
    T_RTSK packet = {0};
    CHECK_IS(ref_tsk(task, &packet), E_OK);
    return packet.prcid;
}

#endif
