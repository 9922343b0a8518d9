/* SPDX-License-Identifier: Apache-2.0 */
#include "task/rights.h"

#include "time/time.h"

void limit_at_most(uint32_t limit, uint64_t value) {
    if (limit != 0 && value > record_of_limit(limit)->worst) {
        record_of_limit(limit)->worst = value;
    }
}

void limit_at_least(uint32_t limit, uint64_t ticks) {
    if (limit != 0) {
        struct takt_record_limit *record = record_of_limit(limit);
        /* One more: the clock may just have ticked. And 0 says that nothing was measured. */
        record->worst = record->worst == 0 || ticks + 1 < record->worst ? ticks + 1 : record->worst;
    }
}

/* --- Controls --------------------------------------------------------------------------------- */

bool control_given_of(enum takt_control control, takt_id id) {
    const struct task *task = task_self();
    if (task->id == TAKT_ID_NONE) {
        return takt_time_now() == 0;
    }
    const struct takt_task_config *config = task->config;
    for (uint32_t i = 0; i < config->control_count; i++) {
        const struct takt_control_config *one = &config->controls[i];
        if (one->control == control && one->id == id) {
            unsigned long interrupts = arch_interrupts_disable();
            uint64_t now = arch_ticks();
            if (*one->latest != 0) {
                limit_at_least(one->limit, now - *one->latest);
            }
            *one->latest = now;
            arch_interrupts_restore(interrupts);
            return true;
        }
    }
    return config->unrestricted;
}

/* --- Holds ------------------------------------------------------------------------------------ */

struct hold *users_find(const struct takt_users *users, takt_id task) {
    uint32_t low = 0, high = users->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (users->ids[middle] == task) {
            return &users->holds[middle];
        }
        if (users->ids[middle] < task) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

void hold_begin_of(struct hold *hold, struct task *task) {
    if (hold == 0) {
        return;
    }
    if (hold->count++ == 0) {
        task->held_objects |= hold->bit;
        hold->since = execution_own(task, task_execution(task));
    }
}

void hold_end_of(struct hold *hold, struct task *task) {
    if (hold == 0 || hold->count == 0) {
        return;
    }
    if (--hold->count == 0) {
        task->held_objects &= ~hold->bit;
        limit_execution(task, hold->limit, task_execution(task), hold->since);
    }
}

/* What nests is reported as the number of the acquired one, and of the first that is held:
 * System::nested of the host. */
void hold_request_of(struct hold *hold, const struct task *task) {
    if (hold == 0) {
        return;
    }
    uint64_t undeclared = task->held_objects & ~hold->inside;
    if (hold->bit != 0 && undeclared != 0) { /* a spin lock has none: it may be acquired anywhere */
        limit_at_most(hold->nesting,
                      ((uint64_t)bits_lowest(hold->bit) + 1) << 8 | (bits_lowest(undeclared) + 1));
    }
    if (hold->limit == 0) {
        return;
    }
    if (hold->job != task->job) {
        hold->job = task->job;
        hold->requests = 0;
    }
    limit_at_most(hold->limit + 1, ++hold->requests);
}

void holds_keep(struct task *task) {
    for (struct hold *const *hold = task->config->holds; *hold != 0; hold++) {
        if ((*hold)->count > 0) {
            limit_at_most((*hold)->limit, UINT64_MAX);
            (*hold)->count = 0;
        }
    }
    task->held_objects = 0;
}

/* --- Suspensions ------------------------------------------------------------------------------ */

void suspension_note(struct task *task) {
    record_of(task)->undeclared_waits += !task->config->unrestricted;
}

void suspension_begin_of(struct task *task) {
    task->suspends = true;
    task->wait_since = arch_ticks();
    limit_at_most(task->config->suspends + 1, ++task->suspensions);
}

/* A timeout that begins at a reading of the clock ends up to two ticks late: both its begin and
 * its end are rounded up. */
static uint64_t surely(uint64_t ticks) {
    return ticks > 2 ? ticks - 2 : 0;
}

/* When the wait was ended: 2^31 ticks ago at most, as its end is on the way no longer; or, by the
 * clock of another core, in a moment. */
static uint64_t woken_at(const struct task *task) {
    uint64_t now = arch_ticks();
    return now + (uint64_t)(int32_t)(task->wait_woken - (uint32_t)now);
}

void suspension_end_of(struct task *task) {
    task->suspends = false;
    task->suspended_ticks += surely(woken_at(task) - task->wait_since);
    limit_at_most(task->config->suspends, task->suspended_ticks);
}

/* --- The end of the run ------------------------------------------------------------------------
 */

/* Measures what is under way. What a task that runs has executed since the last interrupt is left
 * out. */
static void finish_rights(struct task *task, uint64_t ticks) {
    if (SUSPENSIONS && task->suspends && task->state == TASK_WAITING) {
        task->wait_woken = (uint32_t)ticks;
        suspension_end(task);
    }
    if (task->paused) {
        return; /* its execution contains its spin for a mutex */
    }
    if (task->dispatch_watched) {
        limit_execution(task, task->config->dispatch_disable, task->execution,
                        task->dispatch_since);
    }
    for (struct hold *const *hold = task->config->holds; hold != 0 && *hold != 0; hold++) {
        if ((*hold)->count > 0) {
            limit_execution(task, (*hold)->limit, task->execution, (*hold)->since);
        }
    }
}

void rights_finish(uint64_t ticks) {
    for (uint32_t i = 0; i < takt_task_count; i++) {
        finish_rights(takt_tasks[i], ticks);
    }
    for (uint32_t i = 0; i < takt_core_count; i++) {
        const struct core *core = takt_cores[i];
        if (core->locked_since != 0) {
            limit_ticks(core->locked_limit, ticks - core->locked_since);
        }
    }
}
