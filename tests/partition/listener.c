/* SPDX-License-Identifier: Apache-2.0 */
/* The partition of the destination. */
#include <string.h>

#include "ports.h"

static const struct level constant = {{1, 1, 1}};
static char message[16];
static size_t size;
static struct takt_sample sample;

static intptr_t read_to(uintptr_t address) {
    return takt_sampling_port_read(TAKT_SAMPLING_PORT_level, (void *)address, &sample);
}

static intptr_t sample_to(uintptr_t address) {
    struct level level;
    return takt_sampling_port_read(TAKT_SAMPLING_PORT_level, &level, (struct takt_sample *)address);
}

static intptr_t receive_to(uintptr_t address) {
    return takt_queuing_port_receive(TAKT_QUEUING_PORT_orders, (void *)address, &size, 0);
}

static intptr_t size_to(uintptr_t address) {
    return takt_queuing_port_receive(TAKT_QUEUING_PORT_orders, message, (size_t *)address, 0);
}

static takt_error receive(takt_time timeout) {
    return takt_queuing_port_receive(TAKT_QUEUING_PORT_orders, message, &size, timeout);
}

static void check_nothing(void) {
    struct level level = {{5, 5, 5}};
    CHECK_IS(takt_sampling_port_read(TAKT_SAMPLING_PORT_level, &level, &sample), TAKT_E_OBJ);
    CHECK_IS((long)level.words[0], 5);
    CHECK_IS(receive(0), TAKT_E_TMOUT);
    CHECK_IS(receive(TAKT_MICROSECOND), TAKT_E_TMOUT);
    CHECK_IS(receive(-1), TAKT_E_PAR);
    CHECK_IS(takt_sampling_port_write(TAKT_SAMPLING_PORT_level, &level), TAKT_E_ILUSE);
    CHECK_IS(takt_sampling_port_read(TAKT_SAMPLING_PORT_private, &level, &sample), TAKT_E_OACV);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, message, 8), TAKT_E_ILUSE);
    CHECK_IS(takt_queuing_port_receive(TAKT_QUEUING_PORT_heard, message, &size, 0), TAKT_E_ILUSE);
    CHECK_IS(takt_queuing_port_receive(TAKT_QUEUING_PORT_talked, message, &size, 0), TAKT_E_OACV);
}

static void check_hostile(void) {
    check_addresses(read_to);
    check_addresses(sample_to);
    check_addresses(receive_to);
    check_addresses(size_to);
    CHECK_IS(read_to((uintptr_t)&constant), TAKT_E_MACV);
    CHECK_IS(receive_to((uintptr_t)&constant), TAKT_E_MACV);
}

/* Any alignment will do. */
static void check_sample(bool valid, takt_time least, takt_time most) {
    static char memory[64];
    struct level level;
    struct takt_sample here;
    CHECK_IS(takt_sampling_port_read(TAKT_SAMPLING_PORT_level, memory + 1,
                                     (struct takt_sample *)(memory + 35)),
             TAKT_OK);
    memcpy(&level, memory + 1, sizeof level);
    memcpy(&here, memory + 35, sizeof here);
    CHECK_IS((long)level.words[0], 7000);
    CHECK_IS((long)level.words[2], 7000);
    CHECK_IS(here.valid, valid);
    CHECK(here.age >= least && here.age <= most);
}

void listener_job(intptr_t argument) {
    check_nothing();
    check_hostile();
    CHECK_IS(receive(15 * TAKT_MILLISECOND), TAKT_OK);
    CHECK(size == 16 && strcmp(message, "straight to you") == 0);
    check_sample(true, 0, REFRESH);
    until(10);
    check_hostile(); /* with messages in the ports, and none is lost */
    check_sample(false, REFRESH + 1, 6 * TAKT_MILLISECOND);
    CHECK_IS(receive(0), TAKT_OK);
    CHECK(size == 6 && strcmp(message, "first") == 0);
    CHECK_IS(receive(TAKT_FOR_EVER), TAKT_OK);
    CHECK(size == 15 && memcmp(message, "the second one!", 15) == 0);
    CHECK_IS(receive(0), TAKT_E_TMOUT);
    until(20);
    check_moments();
    struct counts counts = {check_count, check_failures};
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_heard, &counts, sizeof counts), TAKT_OK);
}
