/* SPDX-License-Identifier: Apache-2.0 */
/* The gate: what a task in user mode calls. Each argument is checked by its kind before the service
 * sees it. A service reads the user's memory at most once, in the caller's own page table. */
#include "partition/gate.h"

#include <takt/takt.h>

#include "core.h"
#include "object/buffer.h"
#include "object/semaphore.h"
#include "partition/health.h"
#include "partition/mode.h"
#include "partition/partition.h"
#include "partition/port_gate.h"

enum { ARGUMENTS = 2 };

enum result { RESULT_VALUE, RESULT_NOTHING };

enum argument {
    ARGUMENT_VALUE,
    ARGUMENT_TASK,
    ARGUMENT_SEMAPHORE,
    ARGUMENT_BUFFER,
#if PORTS
    ARGUMENT_USER,
    ARGUMENT_SAMPLING_PORT,
    ARGUMENT_QUEUING_PORT,
#endif
    /* Addresses, from here on. */
    ARGUMENT_ADDRESS,
    ARGUMENT_READS,
    ARGUMENT_WRITES,
    ARGUMENT_TEXT,
};

/* Integers and pointers are passed alike, so one type serves for all services; a result of 32 bits
 * comes back sign-extended. The gate checks the first ARGUMENTS; those that follow are of kinds
 * that it passes on as they are, and only services of ports have them. */
#if PORTS
typedef intptr_t service(intptr_t, intptr_t, intptr_t, intptr_t);
#define PASSED_ON , a2, a3
#else
typedef intptr_t service(intptr_t, intptr_t);
#define PASSED_ON
#endif

struct row {
    service *service;
    const char *name;
    uint8_t result, arguments[ARGUMENTS];
};

#define ROW_0(...)                                                                                 \
    { 0 }
#define ROW_1(first, ...)                                                                          \
    { ARGUMENT_##first }
#define ROW_2(first, second, ...)                                                                  \
    { ARGUMENT_##first, ARGUMENT_##second }
#define ROW_3(first, second, third)                   ROW_2(first, second)
#define ROW_4(first, second, third, fourth)           ROW_2(first, second)
#define ROW_OF(zero, one, two, three, four, row, ...) row
#define TAKT_CALL(number, function, result, ...)                                                   \
    [number] = {(service *)(uintptr_t)(function), #function, RESULT_##result,                      \
                ROW_OF(, ##__VA_ARGS__, ROW_4, ROW_3, ROW_2, ROW_1, ROW_0)(__VA_ARGS__)},
#define takt_panic                health_panic
#define takt_sampling_port_write  port_gate_sampling_write
#define takt_sampling_port_read   port_gate_sampling_read
#define takt_queuing_port_send    port_gate_queuing_send
#define takt_queuing_port_receive port_gate_queuing_receive
#define takt_queuing_port_state   port_gate_queuing_state
#define takt_partition_set_mode   mode_gate_set
#define takt_partition_state      mode_gate_state

static const struct row rows[] = {
#include <takt/calls.h>
};

#undef takt_panic
#undef takt_sampling_port_write
#undef takt_sampling_port_read
#undef takt_queuing_port_send
#undef takt_queuing_port_receive
#undef takt_queuing_port_state
#undef takt_partition_set_mode
#undef takt_partition_state

/* The value has the type of an ID: compiled code relies on the sign of 32 bits being extended, and
 * user mode need not have done that. */
static bool owns(const uint64_t *bits, uint32_t count, intptr_t *id) {
    uint32_t index = (uint32_t)*id - 1;
    *id = (int32_t)*id;
    return index < count && bits[index / 64] >> index % 64 & 1;
}

/* Checks an argument of a kind; `values[at]` may get another form. */
static takt_error gate_check(const struct takt_partition_task *task, enum argument kind,
                             intptr_t *values, uint32_t at) {
    const struct takt_partition_config *partition = partition_of(task);
    uintptr_t address = (uintptr_t)values[at];
    bool good = true;
    switch (kind) {
    case ARGUMENT_VALUE:
#if PORTS
    case ARGUMENT_USER:
#endif
    case ARGUMENT_ADDRESS:
        return TAKT_OK;
    case ARGUMENT_TASK:
        return owns(partition->tasks, takt_task_count, &values[at]) ? TAKT_OK : TAKT_E_OACV;
    case ARGUMENT_SEMAPHORE:
        return owns(partition->semaphores, takt_semaphore_count, &values[at]) ? TAKT_OK
                                                                              : TAKT_E_OACV;
    case ARGUMENT_BUFFER:
        return owns(partition->buffers, takt_buffer_count, &values[at]) ? TAKT_OK : TAKT_E_OACV;
#if PORTS
    case ARGUMENT_SAMPLING_PORT:
        return owns(partition->sampling_ports, takt_sampling_port_count, &values[at]) ? TAKT_OK
                                                                                      : TAKT_E_OACV;
    case ARGUMENT_QUEUING_PORT:
        return owns(partition->queuing_ports, takt_queuing_port_count, &values[at]) ? TAKT_OK
                                                                                    : TAKT_E_OACV;
#endif
    case ARGUMENT_READS:
        good = partition_can_read(task, address, takt_buffer_configs[values[at - 1] - 1].size);
        break;
    case ARGUMENT_WRITES:
        good = partition_can_write(task, address, takt_buffer_configs[values[at - 1] - 1].size);
        break;
    case ARGUMENT_TEXT:
        good = partition_can_read(task, address, (size_t)values[at + 1]);
        break;
    }
    return good ? TAKT_OK : TAKT_E_MACV;
}

intptr_t partition_gate(intptr_t first, intptr_t second, intptr_t a2, intptr_t a3, intptr_t a4,
                        intptr_t a5, intptr_t a6, uintptr_t number) {
    struct task *self = task_self();
    const struct takt_partition_task *task = partition_task(self);
    if (number >= sizeof rows / sizeof *rows) {
        health_call(TAKT_ILLEGAL_REQUEST, "unknown call", number);
    }
    const struct row *row = &rows[number];
    intptr_t values[ARGUMENTS] = {first, second};
    bool opens = false;
    for (uint32_t at = 0; at < ARGUMENTS; at++) {
        takt_error error = gate_check(task, row->arguments[at], values, at);
        if (error != TAKT_OK) {
            return record_refusal(error, row->name);
        }
        opens |= row->arguments[at] >= ARGUMENT_ADDRESS;
    }
    if (opens) {
        arch_user_open();
    }
    intptr_t result = row->service(values[0], values[1] PASSED_ON);
    if (opens) {
        arch_user_close();
    }
    return row->result == RESULT_VALUE ? result : 0;
}
