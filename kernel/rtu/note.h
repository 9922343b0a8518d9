/* SPDX-License-Identifier: Apache-2.0 */
/* What a node records of its calls, since the unit records nothing: what it asks and what the
 * answers say. docs/design/placements.md, "Events". Interrupts disabled. */
#ifndef KERNEL_RTU_NOTE_H
#define KERNEL_RTU_NOTE_H

#include "node/node.h"

/* Returns the task that a command gives a priority, TAKT_ID_NONE: it gives none. */
static inline takt_id note_raised(uint64_t word) {
    return command_op(word) == COMMAND_SET_PRIORITY ? command_immediate(word) : TAKT_ID_NONE;
}

/* Records a priority; `sure`: the task has it from here on, else it may have it. */
static inline void note_priority(struct core *core, uint64_t word, bool sure) {
    event_priority(core, note_raised(word), 0, !sure, false, (uint8_t)command_priority(word));
}

/* Records what others may see of a command before its answer is here. Returns an event that is to
 * be taken out again if the command is refused, or null. */
static inline struct takt_record_event *note_command(struct core *core, uint64_t word) {
    if (!EVENTS) {
        return 0;
    }
    takt_id raised = note_raised(word);
    if (raised != TAKT_ID_NONE && takt_task_configs[raised - 1].core != core->index) {
        note_priority(core, word, false);
    }
    return command_op(word) == COMMAND_GIVE
               ? event_give(core, command_caller(word), TAKT_OBJECT_SEMAPHORE, 0,
                            command_object(word))
               : 0;
}

/* Records what an answer says of the caller, whose result it has if the caller is `next`. */
static inline void note_answer(struct core *core, uint64_t word, uint64_t answer,
                               struct takt_record_event *given) {
    if (!EVENTS) {
        return;
    }
    takt_id caller = command_caller(word), raised = note_raised(word);
    bool has_result = answer_next(answer) == caller;
    bool is_done = has_result && answer_error(answer) == ANSWER_DONE;
    if (given != 0 && has_result && !is_done) {
        given->kind = TAKT_EVENT_NONE;
    }
    if (command_op(word) == COMMAND_TAKE && is_done) {
        event_take(core, caller, TAKT_OBJECT_SEMAPHORE, 0, command_object(word));
    }
    if (raised != TAKT_ID_NONE && (is_done || raised == caller)) {
        note_priority(core, word, true);
    } else if (raised != TAKT_ID_NONE && !has_result) {
        note_priority(core, word, false);
    }
    if (has_result) {
        return;
    }
    if (command_wait(word) == COMMAND_WAIT_NONE) {
        node_note_preemption(core);
        return;
    }
    bool is_of_object = command_object(word) != 0;
    enum takt_record_object class = !is_of_object ? TAKT_OBJECT_NONE
                                    : command_op(word) == COMMAND_TAKE
                                        ? TAKT_OBJECT_SEMAPHORE
                                        : TAKT_OBJECT_PRIORITY_DATA_QUEUE;
    event_wait(core, caller, class, 0, command_object(word));
    core->running->state = TASK_WAITING; /* as far as the node knows */
}

/* Records that a task runs again whose wait has ended, with its result. */
static inline void note_next(struct core *core, struct task *task) {
    if (EVENTS && task->state == TASK_WAITING) {
        task->state = TASK_READY;
        event_wake(core, task->id, 0, (uint8_t)-task->wait_result);
    }
}

/* Records an activation that the unit has accepted. */
static inline void note_result(struct core *core, uint64_t word, takt_error result) {
    if (EVENTS && command_op(word) == COMMAND_START && result == TAKT_OK) {
        event_queue(core, command_immediate(word));
    }
}

#endif
