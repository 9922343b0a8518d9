/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how often a lock that all cores request is taken: acquire, read and write four shared
 * lines, release. */
#include "arch.h"
#include "core.h"
#include "phase.h"

enum { WINDOW = 100000 }; /* ns */

static struct spinlock lock __attribute__((aligned(64)));
static struct { volatile uint64_t word __attribute__((aligned(64))); } lines[4];

static void section(void) {
    unsigned long interrupts = arch_interrupts_disable();
    spinlock_acquire(&lock, &core_here()->lock_node);
    for (unsigned i = 0; i < 4; i++) {
        lines[i].word++;
    }
    spinlock_release(&lock, &core_here()->lock_node);
    arch_interrupts_restore(interrupts);
}

void worker_job(intptr_t core) {
    for (;;) {
        WORK_THROUGH(core, section());
    }
}

void main_job(intptr_t cores) {
    takt_task_delay(TAKT_MILLISECOND);
    for (unsigned n = 1; n != 0; n = next_cores(n, (unsigned)cores)) {
        uint64_t before = lines[0].word, sum = count_phase(n, WINDOW);
        /* At the end each core had begun one round more than it had completed. */
        takt_assert(lines[0].word - before == sum + n);
        printf("bench,spinlock,%u,%lu,%u\n", n, sum, WINDOW);
    }
    takt_system_shutdown(0);
}
