/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a decision that is no answer, under `central`. */
#include "atomic.h"
#include "central/exchange.h"
#include "central/server.h"
#include "node/transport.h"

void exchange_decide(uint32_t node, uint64_t word) {
    exchange_answer(node, word);
    arch_interrupt_core(takt_cores[node]);
}

uint64_t transport_decision(struct core *core) {
    if (core->index == SYSTEM_CORE) {
        return server_decision(SYSTEM_CORE);
    }
    /* Acquire: its value, and what its task's partners have written; pairs with the release in
     * exchange_answer. */
    return atomic_load_acquire(&exchange_own_decision(core)->answer);
}
