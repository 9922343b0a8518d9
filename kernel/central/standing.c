/* SPDX-License-Identifier: Apache-2.0 */
/* Where each job stands when the machine ends, as the server knows it. All cores but this one have
 * stopped. Not used in a panic. */
#include "record/standing.h"

#include "central/server.h"
#include "core.h"
#include "time/time.h"

static enum takt_record_state state_of(const struct central_task *task) {
    const struct core *core = takt_cores[task->config->core];
    /* Under `semi` the server knows who waits, and a node the rest. */
    const struct task *block = takt_tasks[task->id - 1];
    if (PLACEMENT == PLACEMENT_SEMI && block->state != TASK_READY) {
        return block->state == TASK_DORMANT ? TAKT_STATE_DORMANT : TAKT_STATE_WAITING;
    }
    switch (task->state) {
    case CENTRAL_DORMANT:
    case CENTRAL_STARTS:
        return TAKT_STATE_DORMANT;
    case CENTRAL_READY:
        return takt_tasks[task->id - 1] == task_self()     ? TAKT_STATE_ENDING
               : core->running == takt_tasks[task->id - 1] ? TAKT_STATE_RUNNING
                                                           : TAKT_STATE_READY;
    default:
        return TAKT_STATE_WAITING;
    }
}

static void note_wait(const struct central_task *task, struct takt_record_task *record) {
    bool is_semaphore = command_op(task->call) == COMMAND_TAKE;
    if (task->waiters != 0) {
        uint32_t class = is_semaphore ? TAKT_OBJECT_SEMAPHORE : TAKT_OBJECT_PRIORITY_DATA_QUEUE;
        record->wait = class << 24 | command_object(task->call);
    }
    record->until = task->timer.place != 0 ? (uint64_t)task->timer.time : 0;
}

static void note_task(const struct central_task *task) {
    const struct task *block = takt_tasks[task->id - 1];
    const struct core *core = takt_cores[task->config->core];
    struct takt_record_task *record = record_of(block);
    record->state = state_of(task);
    record->release = (uint64_t)block->latest_release;
    if (record->state == TAKT_STATE_DORMANT || record->state == TAKT_STATE_ENDING) {
        return;
    }
    if (record->state == TAKT_STATE_WAITING) {
        note_wait(task, record);
    }
    if (block->state == TASK_DORMANT) {
        return; /* its node has not begun the job */
    }
    record->execution = time_from_ticks(block->execution);
    if (core->running != block || core->nesting > 0) {
        arch_context_places(&block->context, record->places, TAKT_RECORD_PLACES - 1);
    } else if (core->stop_frame != 0) {
        arch_frame_places(core->stop_frame, record->places, TAKT_RECORD_PLACES - 1);
    }
}

void record_standing(void) {
    for (uint32_t i = 0; i < takt_task_count; i++) {
        note_task(server_task(i + 1));
    }
}
