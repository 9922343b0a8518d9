/* SPDX-License-Identifier: Apache-2.0 */
/* Two producers, two consumers, many messages: the sums are right if each has come once, in time.
 */
#include <takt/dataflow_system.h>

static uint32_t wrong = 1;

static void delay(uint32_t turns) {
    for (volatile uint32_t i = 0; i < turns; i++) {
    }
}

/* The second producer is slower than the consumers, once they have caught up. */
void produce(const struct dataflow_produce *ports) {
    delay(ports->argument >= 100 ? 300 : 0);
    *(uint32_t *)ports->out = 3 * ports->argument + 1;
}

/* Takes longer than the producers need for all they send. */
void slow(const struct dataflow_slow *ports) {
    delay(1500);
    *(uint32_t *)ports->out = 0;
}

static uint32_t added(uint32_t before, uint32_t a, uint32_t d) {
    return before * 31 + a * 7 + d;
}

static uint32_t word(const void *port) {
    return port == 0 ? 0 : *(const uint32_t *)port;
}

void add(const struct dataflow_add *ports) {
    *(uint32_t *)ports->out = added(word(ports->before), word(ports->a), word(ports->d));
}

void compare(const struct dataflow_compare *ports) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < ports->argument; i++) {
        sum = added(sum, 3 * i + 1, 3 * (100 + i) + 1);
    }
    wrong = (word(ports->b) != sum) + (word(ports->c) != sum);
}

uint32_t counts_check(void) {
    return wrong;
}
