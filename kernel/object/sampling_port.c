/* SPDX-License-Identifier: Apache-2.0 */
#include "object/sampling_port.h"

#include <string.h>

#include <takt/system.h>

#include "record/record.h"
#include "task/task.h"

takt_error takt_sampling_port_write(takt_id id, const void *message) {
    if (id - 1 >= takt_sampling_port_count) {
        return refused(TAKT_E_ID);
    }
    if (message == 0) {
        return refused(TAKT_E_PAR);
    }
    const struct takt_sampling_port_config *config = &takt_sampling_port_configs[id - 1];
    if (takt_task_self() != config->buffer.writer) {
        return refused(TAKT_E_ILUSE);
    }
    takt_time now =
        takt_time_now(); /* before the copy: no message is older than it is said to be */
    struct buffer *port = &takt_sampling_ports[id - 1];
    uint32_t slot = buffer_begin_write(&config->buffer, port);
    config->written[slot] = 1 + now;
    memcpy(buffer_value(&config->buffer, slot), message, config->buffer.size);
    buffer_end_write(port, slot);
    return TAKT_OK;
}

takt_error takt_sampling_port_read(takt_id id, void *message, struct takt_sample *sample) {
    if (id - 1 >= takt_sampling_port_count) {
        return refused(TAKT_E_ID);
    }
    if (message == 0 || sample == 0) {
        return refused(TAKT_E_PAR);
    }
    const struct takt_sampling_port_config *config = &takt_sampling_port_configs[id - 1];
    uint32_t *word = buffer_own_claim(&config->buffer);
    if (word == 0) {
        return refused(TAKT_E_ILUSE);
    }
    uint32_t slot = buffer_begin_read(&takt_sampling_ports[id - 1], word);
    takt_time written = config->written[slot];
    if (written == 0) {
        return TAKT_E_OBJ;
    }
    memcpy(message, buffer_value(&config->buffer, slot), config->buffer.size);
    sample->age = takt_time_now() - (written - 1); /* after the copy */
    sample->valid = sample->age <= config->refresh;
    return TAKT_OK;
}

#if RESTARTS
void sampling_port_empty(takt_id id) {
    const struct takt_sampling_port_config *config = &takt_sampling_port_configs[id - 1];
    struct buffer *port = &takt_sampling_ports[id - 1];
    uint32_t slot = buffer_begin_write(&config->buffer, port);
    config->written[slot] = 0;
    buffer_end_write(port, slot);
}
#endif
