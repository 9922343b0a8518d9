/* SPDX-License-Identifier: Apache-2.0 */
#include "object/user_spinlock.h"

#include "atomic.h"
#include "record/event.h"
#include "service.h"
#include "task/rights.h"
#include "time/time.h"

static takt_id user_spinlock_id(const struct user_spinlock *lock) {
    return (takt_id)(lock - takt_spin_locks) + 1;
}

static bool user_spinlock_take(struct user_spinlock *lock, struct core *core, bool waits) {
    if (waits) {
        spinlock_acquire(&lock->own, &core->lock_node);
        return true;
    }
    return spinlock_try(&lock->own, &core->lock_node);
}

/* The description says that the task uses the lock. A handler cannot: others would spin for it. */
static bool user_spinlock_use_given(takt_id id) {
    const struct task *task = task_self();
    if (!RIGHTS) {
        return true;
    }
    if (task->id == TAKT_ID_NONE) {
        return takt_time_now() == 0; /* the start hook */
    }
    return users_find(&takt_spin_lock_configs[id - 1].users, task->id) != 0 ||
           task->config->unrestricted;
}

static takt_error refuse_lock(takt_error error, bool waits) {
    return record_refusal(error, waits ? "takt_spin_lock_acquire" : "takt_spin_lock_try");
}

static takt_error user_spinlock_lock(takt_id id, bool waits) {
    takt_error error = service_check(id, takt_spin_lock_count, true, 0);
    if (error != TAKT_OK) {
        return refuse_lock(error, waits);
    }
    if (!user_spinlock_use_given(id)) {
        return refuse_lock(TAKT_E_ILUSE, waits);
    }
    struct user_spinlock *lock = &takt_spin_locks[id - 1];
    unsigned long interrupts = arch_interrupts_disable();
    struct core *core = core_here();
    if (!user_spinlock_take(lock, core, waits)) {
        arch_interrupts_restore(interrupts);
        return TAKT_E_OBJ;
    }
    task_self()->cpu_locked = true;
    core->user_spinlock = lock;
    core->user_spinlock_interrupts = interrupts;
    hold_request(&takt_spin_lock_configs[id - 1].users, task_self());
    hold_begin(&takt_spin_lock_configs[id - 1].users, task_self());
    atomic_store_relaxed(&lock->held, 1); /* alone: orders nothing */
    event_take(core_here(), task_self()->id, TAKT_OBJECT_SPIN_LOCK, ++lock->turn,
               user_spinlock_id(lock));
    return TAKT_OK;
}

takt_error takt_spin_lock_acquire(takt_id id) {
    return user_spinlock_lock(id, true);
}

takt_error takt_spin_lock_try(takt_id id) {
    return user_spinlock_lock(id, false);
}

void user_spinlock_give_back(struct core *core) {
    struct user_spinlock *lock = core->user_spinlock;
    hold_end(&takt_spin_lock_configs[lock - takt_spin_locks].users, task_self());
    core->user_spinlock = 0;
    task_self()->cpu_locked = false;
    uint8_t turn = ++lock->turn;
    atomic_store_relaxed(&lock->held, 0);
    spinlock_release(&lock->own, &core->lock_node);
    event_give(core_here(), task_self()->id, TAKT_OBJECT_SPIN_LOCK, turn, user_spinlock_id(lock));
}

takt_error takt_spin_lock_release(takt_id id) {
    if (id - 1 >= takt_spin_lock_count) {
        return refused(TAKT_E_ID);
    }
    unsigned long interrupts = arch_interrupts_disable();
    struct core *core = core_here();
    bool holds = core->user_spinlock == &takt_spin_locks[id - 1];
    if (holds) {
        interrupts = core->user_spinlock_interrupts;
        user_spinlock_give_back(core);
    }
    arch_interrupts_restore(interrupts);
    return holds ? TAKT_OK : refused(TAKT_E_ILUSE);
}

takt_error takt_spin_lock_state(takt_id id, struct takt_spin_lock_state *state) {
    takt_error error = service_check(id, takt_spin_lock_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    state->held = __atomic_load_n(&takt_spin_locks[id - 1].held, __ATOMIC_RELAXED) != 0;
    return TAKT_OK;
}
