/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes and server share between time 0 and the end, and nothing else. */
#ifndef KERNEL_EXCHANGE_H
#define KERNEL_EXCHANGE_H

#include <stdint.h>

/* EXCHANGE_BASE and the like are of kernel_choice.h; EXCHANGE_SIZE 0: the board has no exchange,
 * and the lines lie in shared memory. */
#include "kernel_choice.h"
#include "placement.h"

struct core;

/* The places of a ring (kernel/semi/ring.h): there are no more tasks. */
enum { RING_PLACES = 256 };

struct exchange_ring {
    uint64_t tail; /* entries so far; the place of the next one, modulo RING_PLACES */
    uint64_t places[RING_PLACES] __attribute__((aligned(64)));
} __attribute__((aligned(64)));

/* At each node: what the server has decided for it. Written by the server, read by the node. */
struct exchange_decision {
    uint64_t answer;
    uint64_t values[256] __attribute__((aligned(64))); /* by task: of answers with ANSWER_LONG */
#if PLACEMENT == PLACEMENT_SEMI
    struct exchange_ring ring;
#endif
} __attribute__((aligned(64)));

/* At the system core, a line for each node: written by the node while it has no command under way,
 * read by the server while it has. In an exchange the lines lie behind the decision. */
struct exchange_command {
    uint64_t word, until, argument;
} __attribute__((aligned(64)));

#if EXCHANGE_SIZE == 0
/* By the configurator; by core. */
extern struct exchange_decision takt_exchange_decisions[];
extern struct exchange_command takt_exchange_commands[];
#else
_Static_assert(sizeof(struct exchange_decision) +
                       EXCHANGE_CORES * sizeof(struct exchange_command) <=
                   EXCHANGE_SIZE,
               "the board's exchange is too small");
#endif

/* Returns the decision of a node, as the server reaches it. */
struct exchange_decision *exchange_decision_for(uint32_t node);

/* Returns the decision of this core, as it reaches it. */
struct exchange_decision *exchange_own_decision(const struct core *core);

/* Stores an answer for a node, with its value. The server's. */
void exchange_answer(uint32_t node, uint64_t word);

#endif
