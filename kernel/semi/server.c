/* SPDX-License-Identifier: Apache-2.0 */
/* The server of `semi`: objects and times, as that of `central`; of a task it knows only whether it
 * waits. Who waits no more is told by the ring of its node. docs/design/placements.md, "Semi". */
#include "central/server.h"
#include "central/note.h"

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

/* Returns a result with a NOTE for the task's node in VALUE, where events are recorded.
 * `receives`: a word that was received lies beside then. */
static inline uint64_t with_note(const struct central_task *task, uint64_t result, bool receives) {
    uint64_t is_long = receives && task->message != 0 ? ANSWER_LONG : 0;
    uint32_t queued = task->waiters != 0 ? NOTE_QUEUED : 0;
    return (uint32_t)(result & ~ANSWER_LONG) | is_long |
           (uint64_t)(server_note_latest_turn(task) | queued) << 32;
}

void task_make_ready(struct central_task *task) {
    task->state = CENTRAL_READY;
    if (EVENTS && task->error == ANSWER_DONE) {
        event_post(server_core(), task->id, REQUEST_WAKE);
    }
    uint64_t result = server_result(task);
    bool receives = command_op(task->call) == COMMAND_RECEIVE;
    put_command(task->config->core, EVENTS ? with_note(task, result, receives) : result);
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

#if RAISES
/* A node that has sent to a task of its own, or released, changes the priority itself. Another
 * one's caller waits until the receiver's node has. */
void task_lend(struct central_task *task, struct central_task *caller,
               const struct command *command) {
    uint32_t owner = task->config->core;
    if (owner != caller->config->core) {
        struct command asks = {.word = command->word & ~COMMAND_WAIT_MASK};
        task_wait(caller, CENTRAL_WAITS, &asks);
        put_command(owner, asks.word | RING_ASKS);
    }
}
#endif

static void carry_out(uint32_t node, struct central_task *caller, const struct command *command) {
    uint64_t word = command->word;
    if (command_op(word) == COMMAND_REPORT) {
        task_wait_end(caller, (enum answer_error)command_immediate(word));
        return;
    }
    if (!RAISES || caller->state == CENTRAL_READY) { /* else its node reports what messages lend */
        caller->error = ANSWER_DONE;
        caller->message = 0;
    }
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
    uint64_t answer =
        server_result(caller) | (command->word & COMMAND_TURN) | (waits ? ANSWER_BUSY : 0);
    return takt_central_nodes[node].answer =
               EVENTS && waits ? with_note(caller, answer, false) : answer;
}
