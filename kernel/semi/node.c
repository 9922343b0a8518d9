/* SPDX-License-Identifier: Apache-2.0 */
/* A node that keeps its own tasks, and asks the server for objects and time. Of a task's block,
 * `base_priority` is the priority that the server knows, and `queue_count` counts activations. All
 * with interrupts disabled. */
#include "node/node.h"

#include "central/exchange.h"
#include "node/transport.h"
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

/* --- What is asked of a task of this node ----------------------------------------------------- */

static void begin_job(struct core *core, struct task *task) {
    node_begin_job(task, task->job + 1);
    task->priority = task->config->priority;
    task->wakeups = 0;
    ready_insert(&core->ready, task);
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
    unsigned priority = command_priority(word);
    if (task->state == TASK_READY) {
        ready_remove(&core->ready, task);
        task->priority = (uint8_t)priority;
        ready_insert(&core->ready, task);
        return ANSWER_DONE;
    }
    task->priority = (uint8_t)priority;
    if (task->wait_timed) {
        task->base_priority = (uint8_t)priority;
        submit(core, word);
    }
    return ANSWER_DONE;
}

static enum answer_error serve_command(struct core *core, uint64_t word) {
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
            node_result(core, task, entry);
            make_task_ready(core, task);
        }
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

takt_error node_call(const struct command *command) {
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
    } else {
        node_result(core, self, answer);
    }
    node_switch(core, node_latest(core));
    return self->wait_result;
}

static takt_error sleep_here(struct core *core, uint64_t word, uint64_t until) {
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
    struct core *core = core_here();
    if (core->ready.levels & UINT64_C(1) << (priority - 1)) {
        ready_rotate(&core->ready, priority);
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
    struct core *core = core_here();
    struct task *self = core->running;
    node_job_ended(core);
    ready_remove(&core->ready, self);
    if (self->queue_count > 0) {
        self->queue_count--;
        begin_job(core, self);
    }
    node_leave(core, first(core));
}

/* --- Before time 0 ---------------------------------------------------------------------------- */

static void time_0(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, wait_timer));
    begin_job(core_here(), task);
}

void placement_start(struct core *core) {
    transport_start(core);
    ring_init(core);
    for (const uint16_t *id = core->config->tasks; *id != 0; id++) {
        struct task *task = takt_tasks[*id - 1];
        task->base_priority = task->config->priority;
        if (task->config->start) {
            task->wait_timer.expire = time_0;
            task->wait_timer.order = *id;
            timer_start(&core->timers, &task->wait_timer, 0);
        }
    }
}
