/* SPDX-License-Identifier: Apache-2.0 */
/* The server of `semi`: objects and times, as that of `central`; of a task it knows only whether it
 * waits. Who waits no more is told by the ring of its node. docs/design/placements.md, "Semi". */
#include "central/server.h"

#include "config.h"
#include "semi/ring.h"
#include "system.h"

/* The node whose command is being carried out; it looks by itself. */
enum { NOBODY = UINT32_MAX };
static uint32_t served_node = NOBODY;

void server_init(void) {
    for (takt_id id = 1; id <= takt_task_count; id++) {
        struct central_task *task = server_task(id);
        task->id = id;
        task->config = &takt_task_configs[id - 1];
        task->priority = task->config->priority;
        task->state = CENTRAL_READY;
        task_init_timer(task);
    }
}

void task_leave_ready(struct central_task *task) {
    (void)task; /* its node does that when it reads the answer */
}

static void put_command(uint32_t node, uint64_t entry) {
    ring_put(node, entry, node != served_node && node != SYSTEM_CORE);
}

void task_make_ready(struct central_task *task) {
    task->state = CENTRAL_READY;
    put_command(task->config->core, server_result(task));
}

static enum answer_error wake(struct central_task *task) {
    if (task->state != CENTRAL_SLEEPS) {
        return ANSWER_STATE;
    }
    task_wait_end(task, ANSWER_DONE);
    return ANSWER_DONE;
}

static void set_priority(struct central_task *task, unsigned priority) {
    task->priority = (uint8_t)priority;
    if (task->state != CENTRAL_READY) {
        task_wait_again(task);
    }
}

/* Hands a command to the node of the task that it means, if that is another; the caller waits. */
static bool forward(uint32_t node, struct central_task *caller, const struct command *command) {
    uint32_t owner = server_task(command_immediate(command->word))->config->core;
    if (owner == node) {
        return false;
    }
    task_wait(caller, CENTRAL_WAITS, command);
    put_command(owner, command->word | RING_ASKS);
    return true;
}

static void carry_out(uint32_t node, struct central_task *caller, const struct command *command) {
    uint64_t word = command->word;
    if (command_op(word) == COMMAND_REPORT) {
        task_wait_end(caller, (enum answer_error)command_immediate(word));
        return;
    }
    caller->error = ANSWER_DONE;
    caller->message = 0;
    switch (command_op(word)) {
    case COMMAND_START:
        forward(node, caller, command);
        break;
    case COMMAND_WAKE:
        if (!forward(node, caller, command)) {
            caller->error = wake(server_task(command_immediate(word)));
        }
        break;
    case COMMAND_SET_PRIORITY:
        if (!forward(node, caller, command)) {
            set_priority(server_task(command_immediate(word)), command_priority(word));
        }
        break;
    case COMMAND_SLEEP:
        task_wait(caller, CENTRAL_SLEEPS, command);
        break;
    default:
        if (!object_serve(caller, command)) {
            kernel_panic(0, "a node has given no command");
        }
    }
}

uint64_t server_serve(uint32_t node, const struct command *command) {
    struct central_task *caller = server_task(command_caller(command->word));
    served_node = node;
    carry_out(node, caller, command);
    served_node = NOBODY;
    bool waits = caller->state != CENTRAL_READY;
    return takt_central_nodes[node].answer =
               server_result(caller) | (command->word & COMMAND_TURN) | (waits ? ANSWER_BUSY : 0);
}
