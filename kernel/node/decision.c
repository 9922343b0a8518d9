/* SPDX-License-Identifier: Apache-2.0 */
/* A node that another decides for: `central` and `rtu`. */
#include "node/node.h"
#include "node/release.h"
#include "node/transport.h"
#include "placement.h"
#if PLACEMENT == PLACEMENT_RTU
#include "rtu/note.h"
#else

/* The server records what a command does, but not that the caller is ready and does not run: of a
 * command that may wait this is not known. */
static inline struct takt_record_event *note_command(struct core *core, uint64_t word) {
    (void)core, (void)word;
    return 0;
}

static inline void note_answer(struct core *core, uint64_t word, uint64_t answer,
                               struct takt_record_event *given) {
    (void)given;
    if (EVENTS && command_wait(word) == COMMAND_WAIT_NONE &&
        answer_next(answer) != command_caller(word)) {
        node_note_preemption(core);
    }
}

static inline void note_next(struct core *core, struct task *task) {
    (void)core, (void)task;
}

static inline void note_result(struct core *core, uint64_t word, takt_error result) {
    (void)core, (void)word, (void)result;
}

#endif

/* Returns the task that `decision` names, or the idle context, prepared so that it can run: a job
 * that begins has its context, another the result of its call. */
static struct task *node_next(struct core *core, uint64_t decision) {
    takt_id id = answer_next(decision);
    if (id == TAKT_ID_NONE) {
        return core->idle;
    }
    struct task *task = takt_tasks[id - 1];
    uint32_t job = (decision & ANSWER_JOB) != 0;
    if (task->state == TASK_DORMANT || task->job != job) {
        node_begin_job(task, job);
    } else {
        node_result(core, task, decision);
        note_next(core, task);
    }
    return task;
}

struct task *node_latest(struct core *core) {
    return node_next(core, transport_decision(core));
}

takt_error node_call(const struct command *command) {
    MARK(dispatch);
    struct core *core = core_here();
    struct task *self = core->running;
    struct takt_record_event *given = note_command(core, command->word);
    uint64_t answer = transport_call(core, command);
    note_answer(core, command->word, answer, given);
    node_switch(core, node_next(core, answer));
    note_result(core, command->word, self->wait_result);
    return self->wait_result;
}

takt_error node_submit(uint64_t word, uint64_t until) {
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = node_call(&(struct command){.word = word, .until = until});
    arch_interrupts_restore(interrupts);
    return result;
}

void node_job_end(void) {
    MARK(job_complete);
    struct core *core = core_here();
    node_job_ended(core);
    struct command command = {
        .word = command_word(COMMAND_END, COMMAND_WAIT_NONE, 1, 0, core->running->id, 0)};
    node_leave(core, node_next(core, transport_call(core, &command)));
}

/* The command has no caller: who runs here has asked for nothing, and keeps the result of its own
 * call. The end of the interrupt looks at the decision. */
void release_job(struct core *core, struct task *task) {
    struct command command = {
        .word = command_word(COMMAND_START, COMMAND_WAIT_NONE, 1, 0, TAKT_ID_NONE, task->id)};
    transport_call(core, &command);
    note_result(core, command.word, TAKT_OK);
}

void placement_start(struct core *core) {
    transport_start(core);
    release_init(core);
}
