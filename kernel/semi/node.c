/* SPDX-License-Identifier: Apache-2.0 */
/* A node that keeps its own tasks, and asks the server for objects and time. Of a task's block,
 * `base_priority` is the priority that the server knows, and `queue_count` counts activations; with
 * RAISES `wait_id` is the queue from which the task waits for a message that raises it. All with
 * interrupts disabled. */
#include "node/node.h"

#include "central/exchange.h"
#include "node/release.h"
#include "node/transport.h"
#include "object/raise.h"
#include "placement.h"
#include "sched/ready.h"
#include "semi/ring.h"

static bool waits(uint64_t answer) {
    return (answer & ANSWER_BUSY) != 0;
}

static uint64_t submit(struct core *core, uint64_t word) {
    return transport_call(core, &(struct command){.word = word});
}

static void make_task_ready(struct core *core, struct task *task) {
    task->state = TASK_READY;
    ready_insert(&core->ready, task);
}

/* Records that a task of this core, with the result of its wait, is ready. */
static void semi_note_woken(struct core *core, const struct task *task, uint8_t turn) {
    event_wake(core, task->id, turn, (uint8_t)-task->wait_result);
}

/* Records the priority of a task of this core. */
static void semi_note_priority(struct core *core, const struct task *task, bool first) {
    event_priority(core, task->id, 0, first, false, task->priority);
}

/* Records that the running task waits: `answer` says in which turn, if in an object's queue. */
static void semi_note_wait(struct core *core, uint64_t word, uint64_t answer) {
    uint32_t note = (uint32_t)(answer >> 32);
    enum takt_record_object class = TAKT_OBJECT_NONE;
    if (note & NOTE_QUEUED) {
        class = command_op(word) == COMMAND_TAKE ? TAKT_OBJECT_SEMAPHORE
                                                 : TAKT_OBJECT_PRIORITY_DATA_QUEUE;
    }
    event_wait(core, core->running->id, class, (uint8_t)note,
               class == TAKT_OBJECT_NONE ? TAKT_ID_NONE : command_object(word));
}

/* --- Priorities ------------------------------------------------------------------------------- */

/* Returns the command that tells the server the priority of a task that waits for what that has. */
static uint64_t semi_priority_report(const struct task *task, takt_id caller) {
    return command_word(COMMAND_SET_PRIORITY, COMMAND_WAIT_NONE, task->priority, 0, caller,
                        task->id);
}

#if RAISES

/* Returns the highest priority of the task's own and of what messages lend it. */
static uint8_t semi_due(const struct task *task) {
    return task->lent < task->own_priority ? task->lent : task->own_priority;
}

/* Gives a task another priority of its own; returns the one that it gets. */
static unsigned semi_set_own(struct task *task, unsigned priority) {
    task->own_priority = (uint8_t)priority;
    return semi_due(task);
}

/* Gives a task its priority: behind others of it if it rises, before them if it falls. */
static void semi_place(struct core *core, struct task *task, unsigned priority) {
    bool falls = priority > task->priority;
    bool is_ready = task->state == TASK_READY;
    if (is_ready) {
        ready_remove(&core->ready, task);
    }
    task->priority = (uint8_t)priority;
    if (is_ready && falls) {
        ready_insert_first(&core->ready, task);
    } else if (is_ready) {
        ready_insert(&core->ready, task);
    }
    semi_note_priority(core, task, is_ready && falls);
}

/* Messages lend a task of this node another priority. A task without a job gets it with the next.
 * The server hears of it if the task waits there, but for a message: that wait is in FIFO order. */
static void semi_lend(struct core *core, struct task *task, unsigned lent) {
    task->lent = (uint8_t)lent;
    unsigned due = semi_due(task);
    if (task->state == TASK_DORMANT || due == task->priority) {
        return;
    }
    semi_place(core, task, due);
    if (task->state == TASK_WAITING && task->wait_timed && task->wait_id == TAKT_ID_NONE) {
        task->base_priority = task->priority;
        submit(core, semi_priority_report(task, task->id));
    }
}

/* A message of this priority was sent to the receiver of a queue; if that is of this node, it
 * rises.
 */
static void semi_sent(struct core *core, takt_id queue, unsigned priority) {
    takt_id raised = queue_raises(&takt_priority_data_queue_configs[queue - 1]);
    if (raised != TAKT_ID_NONE && takt_task_configs[raised - 1].core == core->index &&
        priority < takt_tasks[raised - 1]->lent) {
        semi_lend(core, takt_tasks[raised - 1], priority);
    }
}

/* The answer to a command of the running task says what messages lend. */
static void semi_answered(struct core *core, struct task *self, uint64_t word) {
    takt_id object = command_object(word);
    bool done = self->wait_result == TAKT_OK;
    switch (command_op(word)) {
    case COMMAND_RECEIVE:
        if (done && self->config->raised_by == object) {
            semi_lend(core, self, (unsigned)self->wait_mode);
        }
        break;
    case COMMAND_RELEASE:
        semi_lend(core, self, (unsigned)self->wait_mode);
        break;
    case COMMAND_SEND:
    case COMMAND_SEND_LONG:
        if (done) {
            semi_sent(core, object, command_priority(word));
        }
        break;
    default:
        break;
    }
}

/* A wait of a task has ended: the message that it has got lends its priority. */
static void semi_woken(struct core *core, struct task *task) {
    if (task->wait_id != TAKT_ID_NONE && task->wait_result == TAKT_OK &&
        task->wait_mode < task->lent) {
        task->lent = (uint8_t)task->wait_mode;
        task->priority = semi_due(task);
    }
    task->wait_id = TAKT_ID_NONE;
}

/* The job's end releases the message that it holds. */
static void semi_release(struct core *core, struct task *self) {
    if (self->config->raised_by != TAKT_ID_NONE) {
        self->lent = (uint8_t)answer_priority(
            submit(core, command_word(COMMAND_RELEASE, COMMAND_WAIT_NONE, 1,
                                      self->config->raised_by, self->id, 0)));
    }
}

#else

static unsigned semi_set_own(struct task *task, unsigned priority) {
    (void)task;
    return priority;
}

static void semi_sent(struct core *core, takt_id queue, unsigned priority) {
    (void)core, (void)queue, (void)priority;
}

static void semi_answered(struct core *core, struct task *self, uint64_t word) {
    (void)core, (void)self, (void)word;
}

static void semi_woken(struct core *core, struct task *task) {
    (void)core, (void)task;
}

static void semi_release(struct core *core, struct task *self) {
    (void)core, (void)self;
}

#endif

/* --- What is asked of a task of this node ----------------------------------------------------- */

static void begin_job(struct core *core, struct task *task) {
    node_begin_job(task, task->job + 1);
    task->priority = (uint8_t)semi_set_own(task, task->config->priority);
    task->wakeups = 0;
    ready_insert(&core->ready, task);
    if (RAISES && task->priority != task->config->priority) {
        semi_note_priority(core, task, false);
    }
}

static enum answer_error semi_start(struct core *core, struct task *task) {
    if (task->state == TASK_DORMANT) {
        begin_job(core, task);
        return ANSWER_DONE;
    }
    if (task->queue_count == task->config->queue_limit) {
        return ANSWER_OVERFLOW;
    }
    task->queue_count++;
    event_queue(core, task->id);
    return ANSWER_DONE;
}

static enum answer_error wake_task(struct core *core, struct task *task, uint64_t word) {
    if (task->state == TASK_DORMANT) {
        return ANSWER_STATE;
    }
    if (task->state == TASK_WAITING && task->wait == WAIT_SLEEP) {
        if (!task->wait_timed) {
            task->wait_result = TAKT_OK;
            make_task_ready(core, task);
            semi_note_woken(core, task, 0);
            return ANSWER_DONE;
        }
        /* If the time is over, the task is awake, and its entry on the way. */
        if (answer_error(submit(core, word)) == ANSWER_DONE) {
            return ANSWER_DONE;
        }
    }
    if (task->wakeups == TASK_WAKEUPS_MAX) {
        return ANSWER_OVERFLOW;
    }
    task->wakeups++;
    return ANSWER_DONE;
}

static enum answer_error semi_set_priority(struct core *core, struct task *task, uint64_t word) {
    if (task->state == TASK_DORMANT) {
        return ANSWER_STATE;
    }
    unsigned priority = semi_set_own(task, command_priority(word));
    if (task->state == TASK_READY) {
        ready_remove(&core->ready, task);
        task->priority = (uint8_t)priority;
        ready_insert(&core->ready, task);
        semi_note_priority(core, task, false);
        return ANSWER_DONE;
    }
    task->priority = (uint8_t)priority;
    semi_note_priority(core, task, false);
    if (task->wait_timed) {
        task->base_priority = (uint8_t)priority;
        submit(core, RAISES ? semi_priority_report(task, command_caller(word)) : word);
    }
    return ANSWER_DONE;
}

static enum answer_error serve_command(struct core *core, uint64_t word) {
    if (RAISES && (command_op(word) == COMMAND_SEND || command_op(word) == COMMAND_SEND_LONG)) {
        semi_sent(core, command_object(word), command_priority(word));
        return ANSWER_DONE;
    }
    struct task *task = takt_tasks[command_immediate(word) - 1];
    switch (command_op(word)) {
    case COMMAND_START:
        return semi_start(core, task);
    case COMMAND_WAKE:
        return wake_task(core, task, word);
    default:
        return semi_set_priority(core, task, word);
    }
}

/* --- Who runs --------------------------------------------------------------------------------- */

/* Bound: RING_PLACES, of its own tasks, each once, and of others. What is left interrupts again. */
static void look(struct core *core) {
    for (int left = RING_PLACES; left > 0; left--) {
        uint64_t entry = ring_take(core);
        if (entry == 0) {
            return;
        }
        if (entry & RING_ASKS) {
            enum answer_error result = serve_command(core, entry & ~RING_ASKS);
            submit(core, command_word(COMMAND_REPORT, COMMAND_WAIT_NONE, 1, 0,
                                      command_caller(entry), result));
        } else {
            struct task *task = takt_tasks[answer_next(entry) - 1];
            node_result(core, task, EVENTS ? (uint32_t)entry : entry);
            unsigned before = task->priority;
            semi_woken(core, task);
            make_task_ready(core, task);
            semi_note_woken(core, task, (uint8_t)(entry >> 32));
            if (RAISES && task->priority != before) {
                semi_note_priority(core, task, false);
            }
        }
        MARK(post_answered);
    }
    arch_interrupt_here();
}

static struct task *first(struct core *core) {
    struct task *task = ready_first(&core->ready);
    return task != 0 ? task : core->idle;
}

struct task *node_latest(struct core *core) {
    look(core);
    return first(core);
}

static void wait_here(struct core *core, enum task_wait wait, bool timed) {
    struct task *self = core->running;
    ready_remove(&core->ready, self);
    self->state = TASK_WAITING;
    self->wait = wait;
    self->wait_timed = timed;
}

/* Notes that a task waits for a message that will raise it. */
static void note_receive(struct task *self, uint64_t word) {
#if RAISES
    bool receives =
        command_op(word) == COMMAND_RECEIVE && self->config->raised_by == command_object(word);
    self->wait_id = receives ? command_object(word) : TAKT_ID_NONE;
#else
    (void)self, (void)word;
#endif
}

takt_error node_call(const struct command *command) {
    MARK(dispatch);
    struct core *core = core_here();
    struct task *self = core->running;
    if (self->base_priority != self->priority) {
        self->base_priority = self->priority;
        submit(core, command_word(COMMAND_SET_PRIORITY, COMMAND_WAIT_NONE, self->priority, 0,
                                  self->id, self->id));
    }
    uint64_t answer = transport_call(core, command);
    if (waits(answer)) {
        bool sleeps = command_op(command->word) == COMMAND_SLEEP;
        wait_here(core, sleeps ? WAIT_SLEEP : WAIT_OBJECT, true);
        note_receive(self, command->word);
        semi_note_wait(core, command->word, answer);
    } else {
        node_result(core, self, answer);
        semi_answered(core, self, command->word);
    }
    node_switch(core, node_latest(core));
    return self->wait_result;
}

static takt_error sleep_here(struct core *core, uint64_t word, uint64_t until) {
    MARK(dispatch);
    struct task *self = core->running;
    if (self->wakeups > 0) {
        self->wakeups--;
        return TAKT_OK;
    }
    switch (command_wait(word)) {
    case COMMAND_WAIT_NONE:
        return TAKT_E_TMOUT;
    case COMMAND_WAIT_UNTIL:
        return node_call(&(struct command){.word = word, .until = until});
    default:
        wait_here(core, WAIT_SLEEP, false);
        semi_note_wait(core, word, 0);
        node_switch(core, first(core));
        return self->wait_result;
    }
}

takt_error node_sleep(uint64_t word, uint64_t until) {
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = sleep_here(core_here(), word, until);
    arch_interrupts_restore(interrupts);
    return result;
}

static takt_error ask(struct core *core, uint64_t word) {
    MARK(dispatch);
    struct task *self = core->running;
    if (takt_task_configs[command_immediate(word) - 1].core != core->index) {
        return node_call(&(struct command){.word = word});
    }
    self->wait_result = node_error(serve_command(core, word));
    node_switch(core, node_latest(core));
    return self->wait_result;
}

takt_error node_ask(uint64_t word) {
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = ask(core_here(), word);
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error node_rotate(unsigned priority) {
    unsigned long interrupts = arch_interrupts_disable();
    MARK(dispatch);
    struct core *core = core_here();
    if (core->ready.levels & UINT64_C(1) << (priority - 1)) {
        const struct task *turned = core->ready.level[priority - 1].first;
        ready_rotate(&core->ready, priority);
        semi_note_priority(core, turned, false);
        node_switch(core, first(core));
    }
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
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
    struct task *self = core->running;
    bool again = node_job_ended(core);
    ready_remove(&core->ready, self);
    semi_release(core, self);
    if (again) {
        event_unqueue(core, self->id, 1);
        begin_job(core, self);
    }
    node_leave(core, first(core));
}

/* --- Before time 0 ---------------------------------------------------------------------------- */

static void time_0(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, wait_timer));
    begin_job(core_here(), task);
}

void release_job(struct core *core, struct task *task) {
    if (task->state == TASK_DORMANT) {
        begin_job(core, task);
    } else {
        event_queue(core, task->id);
    }
}

void placement_start(struct core *core) {
    transport_start(core);
    ring_init(core);
    release_init(core);
    for (const uint16_t *id = core->config->tasks; *id != 0; id++) {
        struct task *task = takt_tasks[*id - 1];
        task->base_priority = task->config->priority;
#if RAISES
        task->lent = READY_LEVELS;
#endif
        if (task->config->start) {
            task->wait_timer.expire = time_0;
            task->wait_timer.order = *id;
            timer_start(&core->timers, &task->wait_timer, 0);
        }
    }
}
