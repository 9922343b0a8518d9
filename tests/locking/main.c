/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's spin locks, below its services: one core at a time holds the lock, and in the order
 * of arrival if the algorithm promises that. The test includes headers of the kernel, because no
 * service shows a spin lock. */
#include "arch.h"
#include "check.h"
#include "core.h"

enum { CORES = 4, ROUNDS = 500 };

/* Each is in a line of its own and not `volatile`: only the lock orders the accesses. */
static struct spinlock lock __attribute__((aligned(64)));
static struct { unsigned rounds; } __attribute__((aligned(64))) cores[CORES];
static unsigned holders __attribute__((aligned(64)));
static unsigned sum, passed_most, done;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static void spin(unsigned turns) {
    for (volatile unsigned i = 0; i < turns; i++) {
    }
}

static unsigned rounds_of(unsigned core) {
    return __atomic_load_n(&cores[core].rounds, __ATOMIC_RELAXED);
}

/* The greatest number of times that another core acquired the lock while this one waited. */
static unsigned most_passed(const unsigned *before) {
    unsigned most = 0;
    for (unsigned core = 0; core < CORES; core++) {
        unsigned passed = rounds_of(core) - before[core];
        most = passed > most ? passed : most;
    }
    return most;
}

static void contend(unsigned self, unsigned length) {
    unsigned before[CORES];
    unsigned long interrupts = arch_interrupts_disable();
    struct spinlock_node *node = &core_here()->lock_node;
    bool is_free = length % 2 != 0 && spinlock_try(&lock, node);
    for (unsigned core = 0; core < CORES; core++) {
        before[core] = rounds_of(core);
    }
    if (!is_free) {
        spinlock_acquire(&lock, node);
    }
    unsigned beside = holders++;
    unsigned passed = most_passed(before);
    passed_most = passed > passed_most ? passed : passed_most;
    __atomic_store_n(&cores[self].rounds, before[self] + 1, __ATOMIC_RELAXED);
    unsigned old = sum;
    spin(length);
    sum = old + 1;
    holders--;
    spinlock_release(&lock, node);
    arch_interrupts_restore(interrupts);
    CHECK_IS(beside, 0);
}

/* Runs after the others have ended. */
static void check_try(void) {
    unsigned long interrupts = arch_interrupts_disable();
    static struct spinlock_node
        another; /* acts as another core, because this core's own node holds the lock */
    struct spinlock_node *node = &core_here()->lock_node;
    bool first = spinlock_try(&lock, node), again = spinlock_try(&lock, &another);
    spinlock_release(&lock, node);
    spinlock_acquire(&lock, node);
    bool held = spinlock_try(&lock, &another);
    spinlock_release(&lock, node);
    bool last = spinlock_try(&lock, node);
    spinlock_release(&lock, node);
    arch_interrupts_restore(interrupts);
    CHECK(first && !again && !held && last);
}

void contender_job(intptr_t self) {
    unsigned random = (unsigned)self + 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        contend((unsigned)self, next_random(&random) % 8);
        spin(next_random(&random) % 32);
    }
    if (__atomic_add_fetch(&done, 1, __ATOMIC_ACQ_REL) < CORES) {
        return;
    }
    printf("passed %u times at most\n", passed_most);
    CHECK_IS(sum, CORES * ROUNDS);
    check_try();
#if SPINLOCK != SPINLOCK_TAS && SPINLOCK != SPINLOCK_TTAS && !defined(HARTS_STOP)
    /* Each core once, by FIFO; and once more between the look at its rounds and the place in the
     * queue, unless a hart stands still just there, as a thread of a host may. */
    CHECK(passed_most <= 2);
#endif
    check_end();
}
