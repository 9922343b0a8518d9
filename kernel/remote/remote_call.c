/* SPDX-License-Identifier: Apache-2.0 */
/* What only the owner of a task may do, called from any core: docs/design/services.md. */
#include "remote/remote_call.h"

#include "atomic.h"
#include "remote/inbox.h"

/* Gives the answer to a call; the caller goes on. */
static void close(struct remote_call *call, takt_error result) {
    /* Release: what the owner has done; pairs with the acquire in remote_call_open. */
    atomic_store_release(&call->result, result);
}

static void remote_call_wait(const struct remote_call *call) {
    while (remote_call_open(call)) {
        kernel_spin();
    }
}

/* Passes the call on to the core that the task has gone to; where the task departs or has not
 * arrived yet the call is held, and goes with it. */
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

/* Carries the call out on the owner, or passes it on from a core that was the owner when the call
 * was made. Interrupts disabled. */
static void remote_call_answer(struct post *post) {
    struct remote_call *call =
        (struct remote_call *)((char *)post - offsetof(struct remote_call, post));
    struct task *task = call->task;
    if (!remote_call_stays_here(task)) {
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

/* Returns whether a task may spin for the answer to a call. With dispatch disabled it must not,
 * where the answer may wait until another task enables dispatch: that one may spin for this one. */
static bool may_wait_for(const struct remote_call *call, bool late) {
    return wait_allowed() || (!late && !remote_call_open(call));
}

takt_error remote_call_elsewhere(struct task *task, remote_call_function *carry_out,
                                 intptr_t argument, bool late) {
    struct remote_call *call = &task_self()->call;
    if (!may_wait_for(call, late)) {
        return TAKT_E_CTX;
    }
    remote_call_wait(call); /* one that a job gave which was ended before the answer */
    unsigned long interrupts = arch_interrupts_disable();
    call->post.answer = remote_call_answer;
    call->task = task;
    call->carry_out = carry_out;
    call->argument = argument;
    call->result = REMOTE_CALL_OPEN; /* seen with the post */
    /* Relaxed: one that was the owner passes the call on. */
    inbox_push(__atomic_load_n(&task->posts_to, __ATOMIC_RELAXED), &call->post);
    arch_interrupts_restore(interrupts);
    remote_call_wait(call);
    return call->result;
}

void remote_call_answer_held(struct task *task) {
    struct post *post = task->held != 0 ? &task->held->post : 0, *next;
    task->held = 0;
    for (; post != 0; post = next) {
        next = post->next;
        remote_call_answer(post);
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
