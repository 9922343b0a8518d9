/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/port_gate.h"

#include <string.h>

#include "core.h"
#include "object/message_buffer.h"
#include "partition/partition.h"
#include "record/record.h"

/* Pointers to user mode are `void *`, and what they point to is copied as bytes: they need not be
 * aligned. */

static bool can_read(const void *from, size_t size) {
    return partition_can_read(partition_task(task_self()), (uintptr_t)from, size);
}

static bool can_write(const void *to, size_t size) {
    return partition_can_write(partition_task(task_self()), (uintptr_t)to, size);
}

static void copy_out(void *to, const void *from, size_t size) {
    arch_user_open();
    memcpy(to, from, size);
    arch_user_close();
}

takt_error port_gate_sampling_write(takt_id port, const void *message) {
    if (!can_read(message, takt_sampling_port_configs[port - 1].buffer.size)) {
        return record_refusal(TAKT_E_MACV, "takt_sampling_port_write");
    }
    arch_user_open();
    takt_error error = takt_sampling_port_write(port, message);
    arch_user_close();
    return error;
}

takt_error port_gate_sampling_read(takt_id port, void *message, void *sample) {
    struct takt_sample its_sample = {0};
    if (!can_write(message, takt_sampling_port_configs[port - 1].buffer.size) ||
        !can_write(sample, sizeof its_sample)) {
        return record_refusal(TAKT_E_MACV, "takt_sampling_port_read");
    }
    arch_user_open();
    takt_error error = takt_sampling_port_read(port, message, &its_sample);
    arch_user_close();
    if (error == TAKT_OK) {
        copy_out(sample, &its_sample, sizeof its_sample);
    }
    return error;
}

takt_error port_gate_queuing_send(takt_id port, const void *message, size_t size) {
    if (!can_read(message, size)) {
        return record_refusal(TAKT_E_MACV, "takt_queuing_port_send");
    }
    arch_user_open();
    takt_error error = takt_queuing_port_send(port, message, size);
    arch_user_close();
    return error;
}

/* The message comes into the kernel's memory first: whoever sends it to a task that waits may run
 * in another page table. User memory is closed to the kernel meanwhile, as
 * the task may wait. */
takt_error port_gate_queuing_receive(takt_id port, void *message, void *size, takt_time timeout) {
    const struct takt_queuing_port_config *config = &takt_queuing_port_configs[port - 1];
    size_t its_size = 0;
    if (!can_write(message, takt_message_buffer_configs[config->message_buffer - 1].limit) ||
        !can_write(size, sizeof its_size)) {
        return record_refusal(TAKT_E_MACV, "takt_queuing_port_receive");
    }
    takt_error error = takt_queuing_port_receive(port, config->received, &its_size, timeout);
    if (error == TAKT_OK) {
        copy_out(message, config->received, its_size);
        copy_out(size, &its_size, sizeof its_size);
    }
    return error;
}

takt_error port_gate_queuing_state(takt_id port, void *state) {
    struct takt_queuing_port_state its_state = {0};
    if (!can_write(state, sizeof its_state)) {
        return record_refusal(TAKT_E_MACV, "takt_queuing_port_state");
    }
    takt_error error = takt_queuing_port_state(port, &its_state);
    if (error == TAKT_OK) {
        copy_out(state, &its_state, sizeof its_state);
    }
    return error;
}
