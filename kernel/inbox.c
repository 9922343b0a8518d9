/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from other cores: docs/design/kernel.md, "The inbox". */
#include "atomic.h"
#include "core.h"

/* So many posts are answered in one interrupt: what is left comes in the next, and interrupts of
 * devices come between. */
enum { ANSWERS = 4 };

void inbox_push(struct core *core, struct post *post) {
    post->next = 0;
    /* Release: the post's words, `next` among them, before it is seen; acquire: with it, the same
     * of the one before, which the next store follows. Pairs with itself and the exchange in take.
     */
    struct post *previous = __atomic_exchange_n(&core->inbox_last, post, __ATOMIC_ACQ_REL);
    /* Release: what was posted; pairs with the acquires in take. */
    if (previous != 0) {
        atomic_store_release(&previous->next, post);
    } else {
        atomic_store_release(&core->inbox_first, post);
        arch_interrupt_core(core);
    }
}

static inline void post_and_release(struct task *task, enum task_request request, bool recorded) {
    bool links = !task->linked;
    task->requests |= request;
    task->linked = true;
    struct core *owner = task->posts_to;
    lock_release(&task->lock);
    /* After the lock, so that nobody waits for the record; before the owner can answer. */
    if (recorded) {
        record_event(core_here(), TAKT_EVENT_POST, task->id, request);
    }
    if (links) {
        inbox_push(owner, &task->post); /* if it is so no longer, it passes the block on */
    }
}

void inbox_post_and_release(struct task *task, enum task_request request) {
    post_and_release(task, request, true);
}

/* Not recorded: whether the wait ends by it, the owner's event of the wake-up says. */
void inbox_post_release_wait(struct task *task) {
    post_and_release(task, REQUEST_RELEASE, false);
}

/* Takes the first post out of the inbox, null: nothing was posted, or its poster, who interrupts
 * when it is, has not told where it is yet. Nobody else touches it: it stays marked as linked.
 * Bound: O(1); the poster that is waited for is between two instructions, interrupts disabled. */
static struct post *take(struct core *core) {
    struct post *first = __atomic_load_n(&core->inbox_first, __ATOMIC_ACQUIRE);
    if (first == 0) {
        return 0;
    }
    struct post *next = __atomic_load_n(&first->next, __ATOMIC_ACQUIRE), *last = first;
    if (next == 0) {
        /* Before the inbox is seen to be empty: the next poster writes it. */
        __atomic_store_n(&core->inbox_first, 0, __ATOMIC_RELAXED);
        /* Release: that store; acquire: what was posted before. Pairs with the exchange in
         * inbox_push. Fails only if somebody posts. */
        if (__atomic_compare_exchange_n(&core->inbox_last, &last, 0, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return first;
        }
        while ((next = __atomic_load_n(&first->next, __ATOMIC_ACQUIRE)) == 0) {
            kernel_spin();
        }
    }
    /* Relaxed: only this core reads it while the inbox is not empty. */
    __atomic_store_n(&core->inbox_first, next, __ATOMIC_RELAXED);
    return first;
}

void inbox_take_start(struct task *task) {
    lock_acquire(&task->lock);
    bool starts = task->requests & REQUEST_START;
    takt_time release = task->start_release;
    struct core *on = task->start_core;
    task->requests &= (uint8_t)~REQUEST_START;
    lock_release(&task->lock);
    if (starts) {
        job_begin(task, release, on);
    }
}

void inbox_answer_task(struct post *post) {
    struct task *task = (struct task *)((char *)post - offsetof(struct task, post));
    struct core *here = core_here();
    lock_acquire(&task->lock);
    struct core *owner = task->posts_to;
    if (owner != here) {
        lock_release(&task->lock);
        inbox_push(owner, post); /* still linked: the task is on its way there, and needs this */
        return;
    }
    bool arrives = task->context.core == 0;
    if (arrives) {
        task->context.core = here;
    }
    uint8_t requests = task->requests;
    takt_time release = task->start_release;
    struct core *on = task->start_core;
    task->requests = 0;
    task->linked = false; /* from here on it may be posted again */
    lock_release(&task->lock);
    if (arrives) {
        task_arrive(task);
    }
    if (requests & REQUEST_START) {
        job_begin(task, release, on);
    }
    if (requests & REQUEST_WAKE) {
        wait_end_here(task);
    } else if (requests & REQUEST_RELEASE) {
        task_release_wait_here(task);
    }
    if (arrives) {
        /* Last: an order to end the task waits for a wake-up that is on its way, and this was it.
         */
        order_answer_held(task);
    }
}

/* Bound: ANSWERS. */
void inbox_answer(struct core *core) {
    struct post *post;
    for (int left = ANSWERS; left > 0 && (post = take(core)) != 0; left--) {
        post->answer(post);
    }
    /* Relaxed: who posts into an inbox that was empty interrupts. */
    if (__atomic_load_n(&core->inbox_first, __ATOMIC_RELAXED) != 0) {
        arch_interrupt_here();
    }
}
