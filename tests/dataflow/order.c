/* SPDX-License-Identifier: Apache-2.0 */
/* Each message is the number of its iteration. */
#include <dataflow.h>
#include <takt/dataflow_system.h>

static uint32_t wrong;

void make(const struct dataflow_make *ports) {
    *(uint32_t *)ports->out = dataflow_iteration();
    if (ports->word != 0) {
        *(uint32_t *)ports->word = dataflow_iteration();
    }
}

void take(const struct dataflow_take *ports) {
    for (volatile uint32_t turn = ports->argument; turn != 0; turn--) {
    }
    const uint32_t *word = ports->word != 0 ? ports->word : ports->in;
    const uint32_t data = *(const uint32_t *)ports->in;
    *(uint32_t *)ports->wrong = data != dataflow_iteration() || *word != dataflow_iteration();
    if (ports->back != 0) {
        *(uint32_t *)ports->back = 0;
    }
}

void sum(const struct dataflow_sum *ports) {
    wrong += *(const uint32_t *)ports->near + *(const uint32_t *)ports->far +
             *(const uint32_t *)ports->slow;
}

uint32_t order_check(void) {
    return wrong;
}
