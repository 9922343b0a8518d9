/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred cancellation, and cleanup handlers. A request is a flag in the thread's entry of the
 * pool; the state and the handlers are the thread's own. */
#include <errno.h>
#include <pthread.h>

#include "thread.h"
#include "waiting.h"

static _Thread_local struct {
    bool disabled;
    struct takt_posix_cleanup *innermost;
} cancel;

bool cancel_is_due(void) {
    const struct thread *self = thread_self();
    /* Pairs with the store in pthread_cancel. */
    return self && !cancel.disabled && __atomic_load_n(&self->cancelled, __ATOMIC_ACQUIRE);
}

void pthread_testcancel(void) {
    if (cancel_is_due()) {
        pthread_exit(PTHREAD_CANCELED);
    }
}

int pthread_setcancelstate(int state, int *previous) {
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) {
        return EINVAL;
    }
    if (previous) {
        *previous = cancel.disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    }
    cancel.disabled = state == PTHREAD_CANCEL_DISABLE;
    return 0;
}

int pthread_setcanceltype(int type, int *previous) {
    if (type != PTHREAD_CANCEL_DEFERRED) {
        return type == PTHREAD_CANCEL_ASYNCHRONOUS ? ENOTSUP : EINVAL;
    }
    if (previous) {
        *previous = PTHREAD_CANCEL_DEFERRED;
    }
    return 0;
}

void takt_posix_cleanup_push(struct takt_posix_cleanup *handler) {
    handler->outer = cancel.innermost;
    cancel.innermost = handler;
}

void takt_posix_cleanup_pop(struct takt_posix_cleanup *handler, int execute) {
    cancel.innermost = handler->outer;
    if (execute) {
        handler->routine(handler->argument);
    }
}

/* Once for each handler. A handler is popped before it is called, since it may exit again. */
void cancel_clean_up(void) {
    cancel.disabled = true;
    while (cancel.innermost) {
        takt_posix_cleanup_pop(cancel.innermost, 1);
    }
}
