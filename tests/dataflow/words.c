/* SPDX-License-Identifier: Apache-2.0 */
/* Sums that are right if each word has come in its iteration, and from its producer. */
#include <stdbool.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>

enum { MEMBERS = 3, ITERATIONS = 5 };

static uint32_t notes, wrong;
static bool is_kept;
static uint64_t total;

/* The factors of an iteration. */
static uint32_t factor(uint32_t iteration, uint32_t member) {
    return 1000 * (iteration + 1) + member;
}

static void write_factors(uint32_t *factors, uint32_t iteration) {
    for (uint32_t member = 0; member < MEMBERS; member++) {
        factors[member] = factor(iteration, member);
    }
}

void seed(const struct dataflow_seed *ports) {
    write_factors(ports->start, 0);
}

/* Twice on one core: `early` is the first of them, although it is behind in the file. */
void note(const struct dataflow_note *ports) {
    notes = notes * 10 + ports->argument;
    *(uint32_t *)ports->number = notes;
}

void work(const struct dataflow_work *ports) {
    const uint32_t *factors = ports->factors;
    *(uint64_t *)ports->product = (uint64_t)factors[ports->index] << 32 | dataflow_iteration();
    if (ports->extra != 0) {
        *(uint32_t *)ports->extra = 7 * dataflow_iteration() + ports->index;
    }
}

void pass(const struct dataflow_pass *ports) {
    uint32_t bias = dataflow_iteration() == 0 ? 0 : *(const uint32_t *)ports->bias;
    *(uint64_t *)ports->product_out = *(const uint64_t *)ports->product + bias;
    *(uint32_t *)ports->small = 100 * ports->index + dataflow_iteration();
}

void sum(const struct dataflow_sum *ports) {
    uint32_t iteration = dataflow_iteration();
    const uint64_t *products = ports->products;
    const uint32_t *small = ports->small;
    for (uint32_t member = 0; member < MEMBERS; member++) {
        uint64_t bias = iteration == 0 ? 0 : 50 + iteration - 1;
        wrong += products[member] != ((uint64_t)factor(iteration, member) << 32) + iteration + bias;
        wrong += small[member] != 100 * member + iteration;
        total += products[member] >> 32;
    }
    wrong += *(const uint32_t *)ports->extra != 7 * iteration + 1;
    /* 1, 12, 121, 1212 ... */
    wrong += *(const uint32_t *)ports->late != *(const uint32_t *)ports->early * 10 + 2;
    wrong += *(const uint32_t *)ports->early % 10 != 1;
    write_factors(ports->factors, iteration + 1);
    *(uint32_t *)ports->bias = 50 + iteration;
    *(uint64_t *)ports->total = total;
}

/* The sum of all factors of all iterations. */
static uint64_t expected_total(void) {
    uint64_t expected = 0;
    for (uint32_t iteration = 0; iteration < ITERATIONS; iteration++) {
        for (uint32_t member = 0; member < MEMBERS; member++) {
            expected += factor(iteration, member);
        }
    }
    return expected;
}

void keep(const struct dataflow_keep *ports) {
    uint64_t expected = expected_total();
    wrong += *(const uint64_t *)ports->total != expected;
    *(uint64_t *)ports->kept = expected;
}

/* Behind the iterations: its input comes from a core whose last token nobody reads. */
void reply(const struct dataflow_reply *ports) {
    *(uint64_t *)ports->twice = 2 * *(const uint64_t *)ports->kept;
}

void final(const struct dataflow_final *ports) {
    wrong += *(const uint64_t *)ports->twice != 2 * expected_total();
    is_kept = true;
}

uint32_t words_check(void) {
    return wrong + !is_kept;
}
