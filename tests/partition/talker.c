/* SPDX-License-Identifier: Apache-2.0 */
/* The partition of the source. */
#include "ports.h"

static struct level level = {{7000, 7000, 7000}};

/* A call as no stub makes it. */
static intptr_t call(uintptr_t number, uintptr_t first, const void *second) {
    register uintptr_t a0 __asm__("a0") = first;
    register uintptr_t a1 __asm__("a1") = (uintptr_t)second;
    register uintptr_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a1), "r"(a7)
                     : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a2", "a3", "a4", "a5",
                       "a6");
    return (intptr_t)a0;
}

static intptr_t write_from(uintptr_t address) {
    return takt_sampling_port_write(TAKT_SAMPLING_PORT_level, (const void *)address);
}

static intptr_t send_from(uintptr_t address) {
    return takt_queuing_port_send(TAKT_QUEUING_PORT_orders, (const void *)address, 16);
}

static intptr_t state_to(uintptr_t address) {
    return takt_queuing_port_state(TAKT_QUEUING_PORT_orders, (void *)address);
}

static void check_ports(void) {
    struct takt_sample sample;
    size_t size;
    CHECK_IS(takt_sampling_port_write(TAKT_SAMPLING_PORT_private, &level), TAKT_E_OACV);
    CHECK_IS(takt_sampling_port_write(0, &level), TAKT_E_OACV);
    CHECK_IS(takt_sampling_port_write(70, &level), TAKT_E_OACV);
    CHECK_IS(call(16, 1ul << 32 | TAKT_SAMPLING_PORT_private, &level), TAKT_E_OACV);
    CHECK_IS(takt_sampling_port_read(TAKT_SAMPLING_PORT_level, &level, &sample), TAKT_E_ILUSE);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_to_lost, &level, 8), TAKT_E_OACV);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_heard, &level, 8), TAKT_E_OACV);
    CHECK_IS(takt_queuing_port_receive(TAKT_QUEUING_PORT_orders, &level, &size, 0), TAKT_E_ILUSE);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, &level, 0), TAKT_E_PAR);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, &level, 17), TAKT_E_PAR);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, &level, SIZE_MAX), TAKT_E_MACV);
}

static void check_state(uint32_t count, uint64_t overflows) {
    struct takt_queuing_port_state state = {99, 99};
    CHECK_IS(takt_queuing_port_state(TAKT_QUEUING_PORT_orders, &state), TAKT_OK);
    CHECK_IS(state.count, count);
    CHECK_IS((long)state.overflows, (long)overflows);
}

void talker_job(intptr_t argument) {
    check_ports();
    check_addresses(write_from);
    check_addresses(send_from);
    check_addresses(state_to);
    until(5);
    CHECK_IS(takt_sampling_port_write(TAKT_SAMPLING_PORT_level, &level), TAKT_OK);
    /* The listener waits. */
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, "straight to you", 16), TAKT_OK);
    until(8);
    check_state(0, 0);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, "first", 6), TAKT_OK);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, (char *)"_the second one!" + 1, 15),
             TAKT_OK);
    check_state(2, 0);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, "third", 16), TAKT_E_QOVR);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, "fourth", 16), TAKT_E_QOVR);
    check_state(2, 2);
    until(20);
    for (uint64_t i = 1; i <= MOMENTS; i++) {
        struct level moment = {{i, i, i}};
        if (takt_sampling_port_write(TAKT_SAMPLING_PORT_level, &moment) != TAKT_OK) {
            CHECK(!"written");
        }
    }
    struct counts counts = {check_count, check_failures};
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_talked, &counts, sizeof counts), TAKT_OK);
}

/* Calls what the source may call, from another task of its partition. */
void other_job(intptr_t argument) {
    CHECK_IS(takt_sampling_port_write(TAKT_SAMPLING_PORT_level, &level), TAKT_E_ILUSE);
    CHECK_IS(takt_queuing_port_send(TAKT_QUEUING_PORT_orders, &level, 8), TAKT_E_ILUSE);
}
