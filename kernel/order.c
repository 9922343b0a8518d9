/* SPDX-License-Identifier: Apache-2.0 */
/* What only the owner of a task may do, ordered from any core: docs/design/services.md. */
#include "core.h"

/* The answer to an order; the giver goes on. */
static void close(struct order *order, takt_error result) {
    order->result = result;
    /* Release: the result; pairs with the acquire in wait_for. */
    __atomic_store_n(&order->open, 0, __ATOMIC_RELEASE);
}

static void wait_for(const struct order *order) {
    while (__atomic_load_n(&order->open, __ATOMIC_ACQUIRE) != 0) {
        kernel_spin();
    }
}

/* To the core that the task has gone to; where it departs from or has not arrived yet the order is
 * held, and goes with it. */
static void pass_on(struct order *order) {
    struct task *task = order->task;
    lock_acquire(&task->lock);
    struct core *owner = task->posts_to;
    lock_release(&task->lock);
    if (owner != core_here()) {
        inbox_push(owner, &order->post);
        return;
    }
    order->post.next = task->held != 0 ? &task->held->post : 0;
    task->held = order;
}

/* Whether an order for the task is carried out on this core. A job that another core has asked for
 * begins first, perhaps elsewhere. */
static bool stays_here(struct task *task) {
    bool is_here = task_is_here(task);
    if (is_here && task->state == TASK_DORMANT) {
        inbox_take_start(task);
    }
    return is_here && !task->departs;
}

/* On the owner, interrupts disabled; or on one that was it when the order was given. */
static void answer(struct post *post) {
    struct order *order = (struct order *)((char *)post - offsetof(struct order, post));
    struct task *task = order->task;
    if (!stays_here(task)) {
        pass_on(order);
        return;
    }
    takt_error result = order->carry_out(task, order->argument);
    if (result != ORDER_LATER) {
        close(order, result);
        return;
    }
    post->next = task->ending != 0 ? &task->ending->post : 0;
    task->ending = order;
}

/* Whether a task may spin for the answer to an order. With dispatch disabled it must not, where the
 * answer may wait until another task enables dispatch: that one may spin for this one. */
static bool may_wait_for(const struct order *order, bool late) {
    /* Acquire: as in wait_for. */
    return wait_allowed() || (!late && __atomic_load_n(&order->open, __ATOMIC_ACQUIRE) == 0);
}

static takt_error order_send(struct task *task, order_carry_out *carry_out, intptr_t argument) {
    struct order *order = &task_self()->order;
    wait_for(order); /* one that a job gave which was ended before the answer */
    unsigned long interrupts = arch_interrupts_disable();
    order->post.answer = answer;
    order->task = task;
    order->carry_out = carry_out;
    order->argument = argument;
    order->open = 1; /* seen with the post */
    /* Relaxed: one that was the owner passes the order on. */
    inbox_push(__atomic_load_n(&task->posts_to, __ATOMIC_RELAXED), &order->post);
    arch_interrupts_restore(interrupts);
    wait_for(order);
    return order->result;
}

static takt_error give(struct task *task, order_carry_out *carry_out, intptr_t here,
                       intptr_t elsewhere, bool late) {
    struct task *self = task_self();
    if (self->id == TAKT_ID_NONE || cpu_locked()) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    if (stays_here(task)) {
        takt_error result = carry_out(task, here);
        dispatch();
        arch_interrupts_restore(interrupts); /* then any task may be elsewhere, this one too */
        return result;
    }
    arch_interrupts_restore(interrupts); /* a task that begins elsewhere leaves */
    return may_wait_for(&self->order, late) ? order_send(task, carry_out, elsewhere) : TAKT_E_CTX;
}

takt_error order_give(struct task *task, order_carry_out *carry_out, intptr_t here,
                      intptr_t elsewhere) {
    return give(task, carry_out, here, elsewhere, false);
}

takt_error order_give_late(struct task *task, order_carry_out *carry_out) {
    return give(task, carry_out, 0, 0, true);
}

void order_answer_held(struct task *task) {
    struct post *post = task->held != 0 ? &task->held->post : 0, *next;
    task->held = 0;
    for (; post != 0; post = next) {
        next = post->next;
        answer(post);
    }
}

void order_close_ending(struct task *task) {
    for (struct post *post = task->ending != 0 ? &task->ending->post : 0, *next; post != 0;
         post = next) {
        next = post->next;
        close((struct order *)((char *)post - offsetof(struct order, post)), TAKT_OK);
    }
    task->ending = 0;
}
