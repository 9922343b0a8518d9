/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of all types: what each computes depends on all of its inputs and their order. */
#include <stdio.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>

enum { WORDS = 16, PARTS = 2 };

static uint32_t result[PARTS][WORDS];

static uint32_t mixed(uint32_t argument, uint32_t a, uint32_t b, uint32_t c, uint32_t word) {
    return (argument + a) * 31 + b * 7 + c * 3 + word;
}

static uint32_t at(const void *port, int word) {
    return port == 0 ? 0 : ((const uint32_t *)port)[word];
}

void mix(const struct dataflow_mix *ports) {
    for (int word = 0; word < WORDS; word++) {
        uint32_t a = at(ports->a, word), b = at(ports->b, word), c = at(ports->c, word);
        ((uint32_t *)ports->out)[word] =
            mixed(ports->argument + ports->index, a, b, c, (uint32_t)word);
    }
}

void end(const struct dataflow_end *ports) {
}

void sum(const struct dataflow_sum *ports) {
    for (int i = 0; i < PARTS * WORDS; i++) {
        result[i / WORDS][i % WORDS] = at(ports->parts, i);
    }
}

/* The same graph, one call after the other. */
uint32_t types_check(void) {
    uint32_t wrong = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        uint32_t t2 = mixed(2, 0, 0, 0, w), t0 = mixed(10, 0, 0, 0, w);
        uint32_t t7 = mixed(7, t2, 0, 0, w), t8 = mixed(8, t7, t0, t2, w);
        uint32_t t3 = mixed(3, t2, 0, 0, w), t4 = mixed(4, t3, t2, 0, w);
        uint32_t t9 = mixed(9, t4, t7, 0, w), within = mixed(11, t9, 0, 0, w);
        uint32_t t6 = mixed(6, t8, within, t9, w);
        for (uint32_t part = 0; part < PARTS; part++) {
            wrong += result[part][w] != mixed(5 + part, t6, 0, 0, w);
        }
    }
    return wrong;
}
