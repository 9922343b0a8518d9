/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler.h"

#include <stdio.h>
#include <string.h>

#include <takt/takt.h>

#ifndef DATAFLOW_SHARED
/* Sends an image to its workers by one broadcast. It passes the scratchpad of this core, between
 * the application's variables and the buffers, as the engine reads nothing else. */
static void load(const struct image *image, uint64_t scratchpad) {
    uint64_t offset = (uint64_t)(dataflow_local_end - takt_device_dataflow_scratchpad);
    uint64_t length = (uint64_t)(image->end - image->start);
    if (offset + length > dataflow_lowest_buffer) {
        takt_panic("the image of a worker does not fit beside the variables in the scratchpad");
    }
    memcpy(dataflow_local_end, image->start, length);
    struct transfer transfer = {offset, dataflow_image_offset, length, image->cores, 0};
    if (!mesh_transfer(ENGINE_SEND, &transfer)) {
        takt_panic("the engine refuses to send the image of a worker");
    }
    for (uint32_t core = 0; core < CORES_MAX; core++) {
        if (image->cores >> core & 1) {
            mesh_start(core, scratchpad + dataflow_image_offset);
        }
    }
}

#endif

/* Waits until all workers that have objects are in a state. */
static void await(enum state state) {
    for (uint32_t core = 0; core < CORES_MAX; core++) {
        if (core != CONTROL_CORE && dataflow_cores >> core & 1) {
            uint32_t looks = 0;
            while ((*mesh_word(core, WORD_STATUS) & 0xff) != (uint64_t)state) {
                mesh_pause(looks++);
            }
        }
    }
}

/* Does the same work on this core alone, and compares; returns how many results are wrong. */
static uint32_t check(void) {
    if (dataflow_sequential != 0) {
        mesh_status(CONTROL_CORE, STATE_SEQUENTIAL, 0);
        dataflow_sequential();
    }
    mesh_status(CONTROL_CORE, STATE_CHECK, 0);
    if (dataflow_check == 0) {
        return 0;
    }
    uint32_t wrong = dataflow_check();
    if (wrong == 0) {
        printf("dataflow: every result is right\n");
    } else {
        printf("dataflow: %u results are wrong\n", (unsigned)wrong);
    }
    return wrong;
}

void takt_dataflow_scheduler(intptr_t unused) {
#ifndef DATAFLOW_SHARED
    for (const struct image *image = dataflow_images; image->start != 0; image++) {
        load(image, dataflow_scratchpad);
    }
#endif
    await(STATE_READY);
#if DATAFLOW_RTOS1
    director_clear_messages(CONTROL_CORE);
#endif
    mesh_status(CONTROL_CORE, STATE_READY, 0);
    *mesh_word(CONTROL_CORE, WORD_COMMAND) = COMMAND_GO;
    director_run(&dataflow_pools[0]);
    await(STATE_ENDED);
    takt_system_shutdown(check() != 0);
}
