/* SPDX-License-Identifier: Apache-2.0 */
#include "central/server.h"

#include "core.h"
#include "system.h"

/* The node whose command is being carried out; NOBODY: none, as in a timer. */
enum { NOBODY = UINT32_MAX };
static uint32_t served_node = NOBODY;

void server_init(void) {
    for (takt_id id = 1; id <= takt_task_count; id++) {
        central_task_init(server_task(id), id);
    }
}

uint64_t server_decision(uint32_t node) {
    const struct central_node *of = &takt_central_nodes[node];
    uint64_t word = of->answer & ANSWER_TURN;
    takt_id id = levels_first(&of->ready);
    if (id == TAKT_ID_NONE) {
        return word;
    }
    const struct central_task *next = server_task(id);
    return word | (next->job ? ANSWER_JOB : 0) | server_result(next);
}

/* A later decision for the same call of the same task has the same words, so the node is told of
 * each once. The system core looks by itself, at the end of its interrupt. */
void server_decide(uint32_t node) {
    uint64_t answer = server_decision(node);
    if (node == served_node || node == SYSTEM_CORE || answer == takt_central_nodes[node].answer) {
        return;
    }
    takt_central_nodes[node].answer = answer;
    exchange_decide(node, answer);
}

static void carry_out(uint32_t node, struct central_task *caller, const struct command *command) {
    uint64_t word = command->word;
    takt_id meant = command_immediate(word); /* where the command means a task */
    caller->error = ANSWER_DONE;
    caller->message = 0;
    switch (command_op(word)) {
    case COMMAND_START:
        caller->error = task_start(server_task(meant));
        break;
    case COMMAND_WAKE:
        caller->error = task_wake(server_task(meant));
        break;
    case COMMAND_END:
        task_end(caller);
        break;
    case COMMAND_SLEEP:
        task_sleep(caller, command);
        break;
    case COMMAND_YIELD:
        task_yield(node, command_immediate(word) ? server_base(caller) : command_priority(word));
        break;
    case COMMAND_SET_PRIORITY:
        caller->error = task_set_priority(server_task(meant), command_priority(word));
        break;
    default:
        if (!object_serve(caller, command)) {
            kernel_panic(0, "a node has given no command");
        }
    }
}

/* Gets the result of a command without a caller: of a release, which its node knows to be good. */
static struct central_task nobody;

uint64_t server_serve(uint32_t node, const struct command *command) {
    takt_id caller = command_caller(command->word);
    served_node = node;
    carry_out(node, caller != TAKT_ID_NONE ? server_task(caller) : &nobody, command);
    served_node = NOBODY;
    takt_central_nodes[node].answer = command->word & COMMAND_TURN;
    return takt_central_nodes[node].answer = server_decision(node);
}
