/* SPDX-License-Identifier: Apache-2.0 */
/* What only the owner of a task may do, called from any core: docs/design/services.md. */
#include "remote/remote_call.h"

#include "core.h"
#include "remote/inbox.h"
#include "remote/request.h"
#include "sched/dispatch.h"

/* The answer to a call; the caller goes on. */
static void close(struct remote_call *call, takt_error result) {
    call->result = result;
    /* Release: the result; pairs with the acquire in wait_for. */
    __atomic_store_n(&call->open, 0, __ATOMIC_RELEASE);
}

static void wait_for(const struct remote_call *call) {
    while (__atomic_load_n(&call->open, __ATOMIC_ACQUIRE) != 0) {
        kernel_spin();
    }
}

/* To the core that the task has gone to; where it departs from or has not arrived yet the call is
 * held, and goes with it. */
static void pass_on(struct remote_call *call) {
    struct task *task = call->task;
    lock_acquire(&task->lock);
    struct core *owner = task->posts_to;
    lock_release(&task->lock);
    if (owner != core_here()) {
        inbox_push(owner, &call->post);
        return;
    }
    call->post.next = task->held != 0 ? &task->held->post : 0;
    task->held = call;
}

/* Whether a call for the task is carried out on this core. A job that another core has asked for
 * begins first, perhaps elsewhere. */
static bool stays_here(struct task *task) {
    bool is_here = task_is_here(task);
    if (is_here && task->state == TASK_DORMANT) {
        request_take_start(task);
    }
    return is_here && !task->departs;
}

/* On the owner, interrupts disabled; or on one that was it when the call was given. */
static void answer(struct post *post) {
    struct remote_call *call =
        (struct remote_call *)((char *)post - offsetof(struct remote_call, post));
    struct task *task = call->task;
    if (!stays_here(task)) {
        pass_on(call);
        return;
    }
    takt_error result = call->carry_out(task, call->argument);
    if (result != REMOTE_CALL_LATER) {
        close(call, result);
        return;
    }
    post->next = task->ending != 0 ? &task->ending->post : 0;
    task->ending = call;
}

/* Whether a task may spin for the answer to a call. With dispatch disabled it must not, where the
 * answer may wait until another task enables dispatch: that one may spin for this one. */
static bool may_wait_for(const struct remote_call *call, bool late) {
    /* Acquire: as in wait_for. */
    return wait_allowed() || (!late && __atomic_load_n(&call->open, __ATOMIC_ACQUIRE) == 0);
}

static takt_error remote_call_send(struct task *task, remote_call_function *carry_out,
                                   intptr_t argument) {
    struct remote_call *call = &task_self()->call;
    wait_for(call); /* one that a job gave which was ended before the answer */
    unsigned long interrupts = arch_interrupts_disable();
    call->post.answer = answer;
    call->task = task;
    call->carry_out = carry_out;
    call->argument = argument;
    call->open = 1; /* seen with the post */
    /* Relaxed: one that was the owner passes the call on. */
    inbox_push(__atomic_load_n(&task->posts_to, __ATOMIC_RELAXED), &call->post);
    arch_interrupts_restore(interrupts);
    wait_for(call);
    return call->result;
}

static takt_error give(struct task *task, remote_call_function *carry_out, intptr_t here,
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
    return may_wait_for(&self->call, late) ? remote_call_send(task, carry_out, elsewhere)
                                           : TAKT_E_CTX;
}

takt_error remote_call(struct task *task, remote_call_function *carry_out, intptr_t here,
                       intptr_t elsewhere) {
    return give(task, carry_out, here, elsewhere, false);
}

takt_error remote_call_late(struct task *task, remote_call_function *carry_out) {
    return give(task, carry_out, 0, 0, true);
}

void remote_call_answer_held(struct task *task) {
    struct post *post = task->held != 0 ? &task->held->post : 0, *next;
    task->held = 0;
    for (; post != 0; post = next) {
        next = post->next;
        answer(post);
    }
}

void remote_call_close_ending(struct task *task) {
    for (struct post *post = task->ending != 0 ? &task->ending->post : 0, *next; post != 0;
         post = next) {
        next = post->next;
        close((struct remote_call *)((char *)post - offsetof(struct remote_call, post)), TAKT_OK);
    }
    task->ending = 0;
}
