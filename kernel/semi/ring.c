/* SPDX-License-Identifier: Apache-2.0 */
#include "semi/ring.h"

#include "atomic.h"
#include "central/exchange.h"
#include "central/server.h"

void ring_init(const struct core *core) {
    atomic_store_relaxed(&exchange_own_decision(core)->ring.tail, 0);
}

void ring_put(uint32_t node, uint64_t entry, bool interrupts) {
    struct exchange_decision *decision = exchange_decision_for(node);
    uint64_t tail = takt_central_nodes[node].tail++;
    if ((entry & (RING_ASKS | ANSWER_LONG)) == ANSWER_LONG) {
        takt_id id = answer_next(entry);
        atomic_store_relaxed(&decision->values[id], (uint64_t)server_task(id)->message);
    }
    atomic_store_relaxed(&decision->ring.places[tail % RING_PLACES], entry);
    /* Release: the entry, and its value; pairs with the acquire in ring_take. */
    atomic_store_release(&decision->ring.tail, tail + 1);
    if (interrupts) {
        arch_interrupt_core(takt_cores[node]);
    }
}

uint64_t ring_take(struct core *core) {
    struct exchange_ring *ring = &exchange_own_decision(core)->ring;
    /* Acquire: the entry, and what its task's partners have written; pairs with the release in
     * ring_put. */
    if (atomic_load_acquire(&ring->tail) == core->ring_head) {
        return 0;
    }
    return __atomic_load_n(&ring->places[core->ring_head++ % RING_PLACES], __ATOMIC_RELAXED);
}
