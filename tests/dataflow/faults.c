/* SPDX-License-Identifier: Apache-2.0 */
/* Objects with a fault each, of which the run must name the object, the core and the kind. */
#include "mesh.h"

void pass(const void *ports) {
}

/* Never ends. */
void hang(const void *ports) {
    for (;;) {
        __asm__ volatile("" ::: "memory");
    }
}

/* Ends, but late: after some 27 us, so that the handler, which looks each 100 us, does not see it.
 */
void overrun(const void *ports) {
    for (volatile uint32_t turns = 0; turns < 3000; turns++) {
    }
}

/* Reads memory that a worker does not have. */
void wild(const void *ports) {
    (void)*(volatile uint32_t *)0x80000000;
}

/* Calls itself until its stack, below which there is nothing, has overflowed. */
static __attribute__((noinline)) uint32_t descend(uint32_t depth) {
    volatile uint32_t frame[64];
    frame[0] = depth;
    return depth == 0 ? 0 : descend(depth - 1) + frame[0];
}

void deep(const void *ports) {
    mesh_word(2, 0)[0] = descend(100);
}

static const struct pool *own_pool(void) {
    const struct pool *pool = dataflow_pools;
    while (pool->core != 2) {
        pool++;
    }
    return pool;
}

/* Makes its own transfer one that leads out of the scratchpad. */
void spoil(const void *ports) {
    ((struct transfer *)own_pool()->firings[0].transfers)->length = 1ul << 30;
}

/* Makes the message of the next object of its core none. */
void lose(const void *ports) {
    ((struct firing *)own_pool()->firings)[1].messages = 0;
}

/* Ends well; what the check says is the fault. */
void wrong(const void *ports) {
}

uint32_t faults_check(void) {
    return 3;
}
