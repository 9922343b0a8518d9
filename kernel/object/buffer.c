/* SPDX-License-Identifier: Apache-2.0 */
#include "object/buffer.h"

#include <string.h>

#include <takt/buffer.h>

#include "record/record.h"
#include "task/task.h"

takt_error takt_buffer_write(takt_id id, const void *value) {
    if (id - 1 >= takt_buffer_count) {
        return refused(TAKT_E_ID);
    }
    if (value == 0) {
        return refused(TAKT_E_PAR);
    }
    const struct takt_buffer_config *config = &takt_buffer_configs[id - 1];
    if (takt_task_self() != config->writer) {
        return refused(TAKT_E_ILUSE);
    }
    struct buffer *buffer = &takt_buffers[id - 1];
    uint32_t slot = buffer_begin_write(config, buffer);
    memcpy(buffer_value(config, slot), value, config->size);
    buffer_end_write(buffer, slot);
    return TAKT_OK;
}

takt_error takt_buffer_read(takt_id id, void *value) {
    if (id - 1 >= takt_buffer_count) {
        return refused(TAKT_E_ID);
    }
    if (value == 0) {
        return refused(TAKT_E_PAR);
    }
    const struct takt_buffer_config *config = &takt_buffer_configs[id - 1];
    uint32_t *word = buffer_own_claim(config);
    if (word == 0) {
        return refused(TAKT_E_ILUSE);
    }
    uint32_t slot = buffer_begin_read(&takt_buffers[id - 1], word);
    memcpy(value, buffer_value(config, slot), config->size);
    return TAKT_OK;
}

#if RESTARTS
void buffer_clear(takt_id id) {
    const struct takt_buffer_config *config = &takt_buffer_configs[id - 1];
    struct buffer *buffer = &takt_buffers[id - 1];
    uint32_t slot = buffer_begin_write(config, buffer);
    memset(buffer_value(config, slot), 0, config->size);
    buffer_end_write(buffer, slot);
}
#endif
