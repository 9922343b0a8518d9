/* SPDX-License-Identifier: Apache-2.0 */
/* The way between nodes and server: lines of the exchange, which no cache keeps, or of shared
 * memory where the board has no exchange. A node's commands lie at the system core and its
 * decisions at the node, so that who waits for them does not use the bus. */
#include "central/exchange.h"

#include "atomic.h"
#include "central/server.h"
#include "lock/spinlock.h"
#include "node/node.h"
#include "node/transport.h"

enum {
    COMMANDS = 4, /* that the system core carries out in one interrupt, before others come */
    COMMANDS_AT = sizeof(struct exchange_decision), /* in the exchange of the system core */
};

/* The node whose command was carried out last. */
static uint32_t latest;

#if EXCHANGE_SIZE != 0

static char *own_exchange; /* that of the core which reads this address */
static char *windows;      /* those of all, by hart */

static char *exchange_of(uint32_t node) {
    return windows + takt_cores[node]->hart * EXCHANGE_STRIDE;
}

struct exchange_decision *exchange_decision_for(uint32_t node) {
    return (struct exchange_decision *)exchange_of(node);
}

struct exchange_decision *exchange_own_decision(const struct core *core) {
    return (struct exchange_decision *)own_exchange;
}

/* Returns the line of a node, as that node reaches it, and as the system core does. */
static struct exchange_command *command_by(const struct core *core) {
    return (struct exchange_command *)(exchange_of(SYSTEM_CORE) + COMMANDS_AT) + core->index;
}

static struct exchange_command *command_of(uint32_t node) {
    return (struct exchange_command *)(own_exchange + COMMANDS_AT) + node;
}

void transport_init(void) {
    own_exchange = map_device(EXCHANGE_BASE, EXCHANGE_SIZE);
    windows = map_device(EXCHANGE_WINDOW, EXCHANGE_CORES * EXCHANGE_STRIDE);
}

#else

struct exchange_decision *exchange_decision_for(uint32_t node) {
    return &takt_exchange_decisions[node];
}

struct exchange_decision *exchange_own_decision(const struct core *core) {
    return &takt_exchange_decisions[core->index];
}

static struct exchange_command *command_by(const struct core *core) {
    return &takt_exchange_commands[core->index];
}

static struct exchange_command *command_of(uint32_t node) {
    return &takt_exchange_commands[node];
}

void transport_init(void) {
}

#endif

/* What the memory holds at the start is not known. */
void transport_start(struct core *core) {
    atomic_store_relaxed(&exchange_own_decision(core)->answer, 0);
    if (core->index == SYSTEM_CORE) {
        for (uint32_t node = 0; node < takt_core_count; node++) {
            atomic_store_relaxed(&command_of(node)->word, 0);
        }
        server_init();
    }
}

/* --- The node's side -------------------------------------------------------------------------- */

uint64_t transport_call(struct core *core, const struct command *command) {
    if (core->index == SYSTEM_CORE) {
        node_count_call(core, command->word);
        return server_serve(SYSTEM_CORE, command);
    }
    MARK(command_given);
    node_count_call(core, command->word);
    struct exchange_command *line = command_by(core);
    core->turn ^= COMMAND_TURN;
    if (command_wait(command->word) == COMMAND_WAIT_UNTIL) {
        atomic_store_relaxed(&line->until, command->until);
    }
    if (command_op(command->word) == COMMAND_SEND_LONG) {
        atomic_store_relaxed(&line->argument, command->argument);
    }
    /* Release: its arguments; pairs with the acquire in load_command. */
    atomic_store_release(&line->word, command->word | core->turn);
    /* Behind all stores: who is interrupted finds the command. */
    arch_interrupt_core(takt_cores[SYSTEM_CORE]);
    for (;;) { /* bound: that of a command */
        /* Acquire: the value of the answer, and what its task's partners have written; pairs with
         * the release in exchange_answer. */
        uint64_t answer = atomic_load_acquire(&exchange_own_decision(core)->answer);
        if ((answer & ANSWER_TURN) == core->turn) {
            MARK(command_answered);
            return answer;
        }
        kernel_spin();
    }
}

intptr_t transport_value(struct core *core, takt_id next) {
    if (core->index == SYSTEM_CORE) {
        return server_task(next)->message;
    }
    return (intptr_t)__atomic_load_n(&exchange_own_decision(core)->values[next], __ATOMIC_RELAXED);
}

/* --- The server's side ------------------------------------------------------------------------ */

void exchange_answer(uint32_t node, uint64_t word) {
    struct exchange_decision *decision = exchange_decision_for(node);
    if (word & ANSWER_LONG) {
        takt_id next = answer_next(word);
        atomic_store_relaxed(&decision->values[next], (uint64_t)server_task(next)->message);
    }
    /* Release: the value; pairs with the acquire in transport_call and transport_decision. */
    atomic_store_release(&decision->answer, word);
}

/* Loads a node's command; returns false if there is none that has not been carried out. */
static bool load_command(uint32_t node, struct command *command) {
    const struct exchange_command *line = command_of(node);
    /* Acquire: its arguments; pairs with the release in transport_call. */
    uint64_t word = atomic_load_acquire(&line->word);
    if (((word ^ takt_central_nodes[node].answer) & COMMAND_TURN) == 0) {
        return false;
    }
    *command = (struct command){.word = word,
                                .until = __atomic_load_n(&line->until, __ATOMIC_RELAXED),
                                .argument = __atomic_load_n(&line->argument, __ATOMIC_RELAXED)};
    return true;
}

/* Returns the node whose caller has the highest priority, a release before all, among equals the
 * next one behind `latest`; SYSTEM_CORE if no node has a command. Bound: the nodes. */
static uint32_t first_node(struct command *command) {
    uint32_t first = SYSTEM_CORE;
    uint8_t highest = UINT8_MAX;
    uint32_t node = latest;
    for (uint32_t i = 0; i < takt_core_count; i++) {
        node = node + 1 < takt_core_count ? node + 1 : 0;
        struct command found;
        if (node == SYSTEM_CORE || !load_command(node, &found)) {
            continue;
        }
        takt_id caller = command_caller(found.word);
        uint8_t priority = caller != TAKT_ID_NONE ? server_task(caller)->priority : 0;
        if (priority < highest) {
            highest = priority;
            first = node;
            *command = found;
        }
    }
    return first;
}

/* Bound: COMMANDS, each with a look at all nodes. What is left, or comes, interrupts again. */
void transport_interrupted(struct core *core) {
    if (core->index != SYSTEM_CORE) {
        return;
    }
    for (int left = COMMANDS; left > 0; left--) {
        struct command command;
        uint32_t node = first_node(&command);
        if (node == SYSTEM_CORE) {
            return;
        }
        latest = node;
        exchange_answer(node, server_serve(node, &command));
        MARK_VALUE(command_served, takt_cores[node]);
    }
    arch_interrupt_here();
}
