/* SPDX-License-Identifier: Apache-2.0 */
/* Where each job stands when the machine ends, as the nodes know it. All cores but this one have
 * stopped. Not used in a panic. */
#include "record/standing.h"

#include "core.h"
#include "time/time.h"

/* The unit does not say which of the jobs that do not run wait, and for what: they are shown as
 * ready. */
static void note_task(const struct task *task) {
    const struct core *core = takt_cores[task->config->core];
    struct takt_record_task *record = record_of(task);
    record->release = (uint64_t)task->latest_release;
    record->state = task->state == TASK_DORMANT ? TAKT_STATE_DORMANT
                    : task == task_self()       ? TAKT_STATE_ENDING
                    : task == core->running     ? TAKT_STATE_RUNNING
                                                : TAKT_STATE_READY;
    if (record->state == TAKT_STATE_DORMANT || record->state == TAKT_STATE_ENDING) {
        return;
    }
    record->execution = time_from_ticks(task->execution);
    if (record->state == TAKT_STATE_READY || core->nesting > 0) {
        arch_context_places(&task->context, record->places, TAKT_RECORD_PLACES - 1);
    } else if (core->stop_frame != 0) {
        arch_frame_places(core->stop_frame, record->places, TAKT_RECORD_PLACES - 1);
    }
}

/* Bound: the tasks. */
void record_standing(void) {
    for (uint32_t i = 0; i < takt_task_count; i++) {
        note_task(takt_tasks[i]);
    }
}
