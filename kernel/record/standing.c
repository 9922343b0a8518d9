/* SPDX-License-Identifier: Apache-2.0 */
/* Where each job stands when the machine ends: docs/design/record.md, "Unfinished jobs". All cores
 * but this one have stopped, so nothing here changes while it is read. Not used in a panic: then
 * control blocks may be damaged. */
#include "record/standing.h"

#include "object/class.h"
#include "object/mutex.h"
#include "object/served.h"
#include "time/time.h"

/* Returns whether the wait has ended, and only the wake-up has not come. */
static bool wait_is_over(const struct task *task) {
    switch (task->wait) {
    case WAIT_SLEEP:
        return !task->sleeping;
    case WAIT_OBJECT:
    case WAIT_HELD:
        return !task->wait_linked ||
               (task->waits_for->next != 0 &&
                served_is_granted((const struct served *)task->waits_for, task));
    default:
        return false;
    }
}

static enum takt_record_state state_of_dormant(const struct task *task) {
    bool is_sporadic = task->config->activation == TAKT_SPORADIC;
    return !task->active                                   ? TAKT_STATE_DORMANT
           : is_sporadic && task->release_timer.place != 0 ? TAKT_STATE_HELD_BACK
                                                           : TAKT_STATE_READY;
}

static enum takt_record_state state_of(const struct task *task, const struct core *core) {
    if (task->state == TASK_DORMANT) {
        return state_of_dormant(task);
    }
    if (task == task_self()) {
        return TAKT_STATE_ENDING;
    }
    if (task->state == TASK_WAITING && !wait_is_over(task)) {
        return TAKT_STATE_WAITING;
    }
    return task->spins != 0                     ? TAKT_STATE_SPINNING
           : task->suspended                    ? TAKT_STATE_SUSPENDED
           : core != 0 && core->running == task ? TAKT_STATE_RUNNING
                                                : TAKT_STATE_READY;
}

/* --- What a job waits for -------------------------------------------------------------------- */

static void note_wait(struct takt_record_task *record, enum takt_record_object class, takt_id id) {
    record->wait = (uint32_t) class << 24 | id;
    record->holder = class_holder(class, id);
}

/* --- Where it is ------------------------------------------------------------------------------ */

static void note_places(const struct task *task, const struct core *core,
                        struct takt_record_task *record) {
    bool is_saved = core == 0 || core->running != task || core->nesting > 0;
    if (is_saved) {
        arch_context_places(&task->context, record->places, TAKT_RECORD_PLACES - 1);
    } else if (core->stop_frame != 0) {
        arch_frame_places(core->stop_frame, record->places, TAKT_RECORD_PLACES - 1);
    }
}

static void note_task(const struct task *task) {
    struct takt_record_task *record = record_of(task);
    const struct core *core = task->context.core; /* null: on its way to another */
    record->state = state_of(task, core);
    record->release = (uint64_t)task->latest_release;
    if (task->state == TASK_DORMANT) {
        return;
    }
    record->execution = time_from_ticks(task->execution);
    if (record->state == TAKT_STATE_WAITING) {
        if (task_waits_for_object(task)) {
            note_wait(record, task->wait_class, task->wait_id);
        }
        record->until = task->wait_timer.place != 0 ? (uint64_t)task->wait_timer.time : 0;
    } else if (record->state == TAKT_STATE_SPINNING) {
        note_wait(record, TAKT_OBJECT_MUTEX, mutex_id(task->keeps_core));
    }
    if (record->state != TAKT_STATE_ENDING) {
        note_places(task, core, record);
    }
}

void record_standing(void) {
    for (uint32_t i = 0; i < takt_task_count; i++) {
        note_task(takt_tasks[i]);
    }
}
