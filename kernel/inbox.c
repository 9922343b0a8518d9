/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from other cores: docs/design/kernel.md, "The inbox". */
#include "atomic.h"
#include "core.h"

/* So many posts are answered in one interrupt, and so many turned: what is left comes in the next,
 * and interrupts of devices come between. */
enum { ANSWERS = 4, TURNS = 8 };

/* Stands in `next` between the two steps of a push. */
#define INBOX_BUSY ((struct post *)1)

void inbox_push(struct core *core, struct post *post) {
    post->next = INBOX_BUSY;
    /* Release: the post's words, the mark among them, before the post is seen; pairs with the
     * exchange in `turn`. Acquire: with itself, so that each post is seen with those before it. */
    struct post *previous = __atomic_exchange_n(&core->inbox, post, __ATOMIC_ACQ_REL);
    /* Release: pairs with the acquire in `posted_before`. */
    atomic_store_release(&post->next, previous);
    if (previous == 0) {
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

/* The post before this one. Bound: its poster is between two instructions, interrupts disabled. */
static struct post *posted_before(struct post *post) {
    struct post *previous;
    while ((previous = __atomic_load_n(&post->next, __ATOMIC_ACQUIRE)) == INBOX_BUSY) {
        kernel_spin();
    }
    return previous;
}

/* Takes all that is posted, once the former is answered, and turns it: the latest comes first out
 * of the inbox and last into `inbox_first`. A post stays marked as linked until it is answered, so
 * nobody else touches it. Whether the inbox was emptied. Bound: TURNS. */
static bool turn(struct core *core) {
    struct post *latest = core->inbox_latest, *turned = core->inbox_turned;
    bool empties = latest == 0;
    if (empties) {
        /* Acquire: what was posted; pairs with the exchange in inbox_push. */
        latest = __atomic_exchange_n(&core->inbox, 0, __ATOMIC_ACQUIRE);
    }
    for (int left = TURNS; left > 0 && latest != 0; left--) {
        struct post *post = latest;
        latest = posted_before(post);
        post->next = turned;
        turned = post;
    }
    core->inbox_first = latest == 0 ? turned : 0;
    core->inbox_latest = latest;
    core->inbox_turned = latest == 0 ? 0 : turned;
    return empties;
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

/* Bound: ANSWERS and TURNS. */
void inbox_answer(struct core *core) {
    MARK(inbox_answer);
    bool emptied = core->inbox_first == 0 && turn(core);
    for (int left = ANSWERS; left > 0 && core->inbox_first != 0; left--) {
        struct post *post = core->inbox_first;
        core->inbox_first = post->next; /* once it is answered, it may be linked again */
        post->answer(post);
        MARK(post_answered);
    }
    /* Relaxed: who posts into an inbox that was empty interrupts, and if this interrupt was that
     * one, the posts are seen. */
    if (core->inbox_first != 0 || core->inbox_latest != 0 ||
        (!emptied && __atomic_load_n(&core->inbox, __ATOMIC_RELAXED) != 0)) {
        arch_interrupt_here();
    }
}
