/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes and server share between time 0 and the end, and nothing else. */
#ifndef KERNEL_EXCHANGE_H
#define KERNEL_EXCHANGE_H

#include <stdint.h>

/* EXCHANGE_BASE and the like are of kernel_choice.h; EXCHANGE_SIZE 0: the board has no exchange,
 * and the lines lie in shared memory. */
#include "kernel_choice.h"

/* At each node: what the server has decided for it. Written by the server, read by the node. */
struct exchange_decision {
    uint64_t answer;
    uint64_t values[256] __attribute__((aligned(64))); /* by task: of answers with ANSWER_LONG */
} __attribute__((aligned(64)));

/* At the system core, a line for each node: written by the node while it has no command under way,
 * read by the server while it has. */
struct exchange_command {
    uint64_t word, until, argument;
} __attribute__((aligned(64)));

/* In an exchange the decision is first, the commands lie here. */
#define EXCHANGE_COMMANDS 4096

_Static_assert(sizeof(struct exchange_decision) <= EXCHANGE_COMMANDS, "");

#if EXCHANGE_SIZE == 0
/* By the configurator; by core. */
extern struct exchange_decision takt_exchange_decisions[];
extern struct exchange_command takt_exchange_commands[];
#endif

#endif
