/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode: the same calls, and the ends of ports at the other ends of which partitions are. */
#include "ports.h"

static void check_calls(void) {
    struct level level;
    struct takt_sample sample;
    size_t size;
    CHECK_IS(takt_sampling_port_read(TAKT_SAMPLING_PORT_level, &level, &sample), TAKT_E_OBJ);
    CHECK_IS(takt_sampling_port_read(TAKT_SAMPLING_PORT_level, 0, &sample), TAKT_E_PAR);
    CHECK_IS(takt_sampling_port_read(TAKT_SAMPLING_PORT_level, &level, 0), TAKT_E_PAR);
    CHECK_IS(takt_sampling_port_read(0, &level, &sample), TAKT_E_ID);
    CHECK_IS(takt_sampling_port_read(3, &level, &sample), TAKT_E_ID);
    CHECK_IS(takt_sampling_port_write(3, &level), TAKT_E_ID);
    CHECK_IS(takt_sampling_port_write(TAKT_SAMPLING_PORT_private, 0), TAKT_E_PAR);
    CHECK_IS(takt_sampling_port_write(TAKT_SAMPLING_PORT_level, &level), TAKT_E_ILUSE);
    CHECK_IS(takt_queuing_port_send(0, &level, 8), TAKT_E_ID);
    CHECK_IS(takt_queuing_port_receive(5, &level, &size, 0), TAKT_E_ID);
    CHECK_IS(takt_queuing_port_state(5, 0), TAKT_E_ID);
    CHECK_IS(takt_queuing_port_state(1, 0), TAKT_E_PAR);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, &level, 8), TAKT_E_ILUSE);
    CHECK_IS(takt_queuing_port_receive(TAKT_QUEUING_PORT_orders, &level, &size, 0), TAKT_E_ILUSE);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_to_lost, 0, 8), TAKT_E_PAR);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_to_lost, &level, 14), TAKT_E_PAR);
    CHECK_IS(takt_queuing_port_receive(TAKT_QUEUING_PORT_talked, 0, &size, 0), TAKT_E_PAR);
}

/* The destination was stopped in its wait: nothing is handed to it, and nobody waits for it. */
static void check_lost(void) {
    struct takt_queuing_port_state state;
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_to_lost, "nobody reads", 13), TAKT_OK);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_to_lost, "nobody reads", 13), TAKT_OK);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_to_lost, "nobody reads", 13), TAKT_E_QOVR);
    CHECK_IS(takt_queuing_port_state(TAKT_QUEUING_PORT_to_lost, &state), TAKT_OK);
    CHECK(state.count == 2 && state.overflows == 1);
}

static void check_counts(takt_id port) {
    struct counts counts = {0, 1};
    size_t size;
    CHECK_IS(takt_queuing_port_receive(port, &counts, &size, 20 * TAKT_MILLISECOND), TAKT_OK);
    CHECK_IS((long)size, sizeof counts);
    CHECK(counts.checks > 20);
    CHECK_IS((long)counts.failures, 0);
}

void judge_job(intptr_t argument) {
    check_calls();
    until(15);
    check_lost();
    until(20);
    check_moments();
    check_counts(TAKT_QUEUING_PORT_talked);
    check_counts(TAKT_QUEUING_PORT_heard);
    check_end();
}
