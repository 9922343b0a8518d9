/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode: looks at what the partitions publish before and after each restart. */
#include "check.h"

#include "restart.h"

/* The IDs of a partition's buffers, ports and task. */
struct partition {
    takt_id seen, held, helped, level, box, helper;
    bool is_cold;
};

static const struct partition cold = {TAKT_BUFFER_cold_seen,
                                      TAKT_BUFFER_cold_held,
                                      TAKT_BUFFER_cold_helped,
                                      TAKT_SAMPLING_PORT_cold_level,
                                      TAKT_QUEUING_PORT_cold_box,
                                      TAKT_TASK_cold_helper,
                                      true};
static const struct partition warm = {TAKT_BUFFER_warm_seen,
                                      TAKT_BUFFER_warm_held,
                                      TAKT_BUFFER_warm_helped,
                                      TAKT_SAMPLING_PORT_warm_level,
                                      TAKT_QUEUING_PORT_warm_box,
                                      TAKT_TASK_warm_helper,
                                      false};

static void until_time(takt_time time) {
    takt_task_delay(time - takt_time_now());
}

/* On the cores of the work, before any task of theirs: so a partition starts on one core while the
 * other one cannot begin to. */
void busy_job(intptr_t argument) {
    takt_time end = takt_task_release_time() + 100 * TAKT_MICROSECOND;
    while (takt_time_now() < end) {
    }
}

static long messages(const struct partition *it) {
    struct takt_queuing_port_state state;
    CHECK_IS(takt_queuing_port_state(it->box, &state), TAKT_OK);
    return (long)state.count;
}

/* In the `jobs`th job since the restart. */
static void check_seen(const struct partition *it, uint64_t restarts, uint64_t jobs) {
    struct seen seen;
    CHECK_IS(takt_buffer_read(it->seen, &seen), TAKT_OK);
    uint64_t steps = it->is_cold ? jobs : jobs + restarts * FAULT_AT;
    uint32_t start = restarts == 0 ? TAKT_START_SYSTEM
                     : it->is_cold ? TAKT_START_COLD
                                   : TAKT_START_WARM;
    CHECK_IS((long)seen.data, (long)(INITIAL + steps));
    CHECK_IS((long)seen.bss, (long)steps);
    CHECK_IS((long)seen.local, (long)(LOCAL + steps));
    CHECK_IS((long)seen.woken, 0);
    CHECK_IS((long)seen.start, (long)start);
    CHECK_IS((long)seen.restarts, (long)restarts);
}

static void check_begun(const struct partition *it, uint64_t restarts) {
    struct held held;
    struct helped helped;
    CHECK_IS(takt_buffer_read(it->held, &held), TAKT_OK);
    CHECK_IS(takt_buffer_read(it->helped, &helped), TAKT_OK);
    CHECK_IS((long)held.restarts, (long)restarts);
    CHECK_IS((long)held.taken, 1);
    CHECK_IS((long)held.activated, 1);
    CHECK_IS((long)helped.restarts, (long)restarts);
    if (restarts > 0) { /* the first time the work has written before */
        CHECK_IS((long)helped.note, it->is_cold ? 0 : (long)(restarts * FAULT_AT));
    }
}

static void before(const struct partition *it, uint64_t restarts) {
    uint64_t level, message = 1;
    struct takt_sample sample;
    CHECK_IS(takt_sampling_port_read(it->level, &level, &sample), TAKT_OK);
    CHECK_IS(takt_queuing_port_send(it->box, &message, sizeof message), TAKT_OK);
    CHECK_IS(takt_queuing_port_send(it->box, &message, sizeof message), TAKT_OK);
    CHECK_IS(messages(it), 2);
    check_seen(it, restarts, FAULT_AT - 1);
    check_begun(it, restarts);
}

static void after(const struct partition *it, uint64_t restarts) {
    uint64_t level;
    struct takt_sample sample;
    CHECK_IS(takt_sampling_port_read(it->level, &level, &sample), TAKT_E_OBJ);
    CHECK_IS(messages(it), 0);
    check_seen(it, restarts - 1, FAULT_AT);
    check_begun(it, restarts);
}

static void stopped(const struct partition *it) {
    CHECK_IS(takt_task_activate(it->helper), TAKT_E_OBJ);
    check_seen(it, RESTARTS, FAULT_AT);
}

void judge_job(intptr_t argument) {
    for (uint64_t restarts = 0; restarts < RESTARTS; restarts++) {
        takt_time begin = (takt_time)restarts * FAULT_AT;
        until_time((begin + FAULT_AT - 2) * TAKT_MILLISECOND + 500 * TAKT_MICROSECOND);
        before(&cold, restarts);
        before(&warm, restarts);
        until_time((begin + FAULT_AT - 1) * TAKT_MILLISECOND + 500 * TAKT_MICROSECOND);
        after(&cold, restarts + 1);
        after(&warm, restarts + 1);
    }
    until_time(25 * TAKT_MILLISECOND);
    stopped(&cold);
    stopped(&warm);
    uint64_t twice;
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_twice, &twice), TAKT_OK);
    CHECK_IS((long)twice, 2);
    struct modes modes;
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_modes, &modes), TAKT_OK);
    CHECK_IS((long)modes.jobs, 3);
    CHECK_IS((long)modes.failures, 0);
    check_end();
}
