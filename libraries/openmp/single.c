/* SPDX-License-Identifier: Apache-2.0 */
/* Constructs that one thread of a region executes: the first one to reach them. */
#include "gomp.h"
#include "thread.h"

/* shares.single counts the single constructs that a thread has taken. A thread that has met as many
 * takes the next one by incrementing the count; if the exchange fails, another thread has. */
bool GOMP_single_start(void) {
    struct thread *self = thread_self();
    if (self->threads == 1) {
        return true;
    }
    uint32_t met = self->numbers.singles++;
    return __atomic_compare_exchange_n(&self->shares->single, &met, met + 1, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void *GOMP_single_copy_start(void) {
    struct thread *self = thread_self();
    if (GOMP_single_start()) {
        return 0;
    }
    team_barrier(self);
    return self->team->copied;
}

/* GCC adds a barrier behind the construct, so `copied` stays until all threads have read it. */
void GOMP_single_copy_end(void *data) {
    struct thread *self = thread_self();
    if (self->threads > 1) {
        self->team->copied = data;
        team_barrier(self);
    }
}
