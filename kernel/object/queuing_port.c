/* SPDX-License-Identifier: Apache-2.0 */
#include "object/queuing_port.h"

#include <takt/task.h>

#include "object/message_buffer.h"
#include "record/record.h"
#include "task/task.h"

/* Counts a message that found no room. Relaxed: the count orders nothing, and only the source,
 * which calls this, writes it; pairs with the load in takt_queuing_port_state. */
static void count_overflow(struct queuing_port *port) {
    __atomic_store_n(&port->overflows, port->overflows + 1, __ATOMIC_RELAXED);
}

takt_error takt_queuing_port_send(takt_id id, const void *message, size_t size) {
    if (id - 1 >= takt_queuing_port_count) {
        return refused(TAKT_E_ID);
    }
    const struct takt_queuing_port_config *config = &takt_queuing_port_configs[id - 1];
    if (takt_task_self() != config->source) {
        return refused(TAKT_E_ILUSE);
    }
    if (message == 0 || size - 1 >= takt_message_buffer_configs[config->message_buffer - 1].limit) {
        return refused(TAKT_E_PAR);
    }
    takt_error error = takt_message_buffer_try_send(config->message_buffer, message, size);
    if (error == TAKT_E_TMOUT) {
        count_overflow(&takt_queuing_ports[id - 1]);
        error = TAKT_E_QOVR;
    }
    return error;
}

takt_error takt_queuing_port_receive(takt_id id, void *message, size_t *size, takt_time timeout) {
    if (id - 1 >= takt_queuing_port_count) {
        return refused(TAKT_E_ID);
    }
    const struct takt_queuing_port_config *config = &takt_queuing_port_configs[id - 1];
    if (takt_task_self() != config->destination) {
        return refused(TAKT_E_ILUSE);
    }
    if (message == 0 || size == 0 || timeout < 0) {
        return refused(TAKT_E_PAR);
    }
    return takt_message_buffer_receive_for(config->message_buffer, message, size, timeout);
}

takt_error takt_queuing_port_state(takt_id id, struct takt_queuing_port_state *state) {
    if (id - 1 >= takt_queuing_port_count) {
        return refused(TAKT_E_ID);
    }
    if (state == 0) {
        return refused(TAKT_E_PAR);
    }
    struct takt_message_buffer_state buffer = {.count = 0};
    takt_message_buffer_state(takt_queuing_port_configs[id - 1].message_buffer, &buffer);
    state->count = buffer.count;
    state->overflows = __atomic_load_n(&takt_queuing_ports[id - 1].overflows, __ATOMIC_RELAXED);
    return TAKT_OK;
}
