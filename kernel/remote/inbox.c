/* SPDX-License-Identifier: Apache-2.0 */
/* A queue of posts from any core: docs/design/kernel.md, "The inbox". */
#include "remote/inbox.h"

#include "atomic.h"

/* The posts that one interrupt answers, and those that it turns: what is left comes in the next,
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

/* The post before this one. Bound: its poster is between two instructions, interrupts disabled. */
static struct post *posted_before(struct post *post) {
    struct post *previous;
    while ((previous = atomic_load_acquire(&post->next)) == INBOX_BUSY) {
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
