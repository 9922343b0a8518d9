/* SPDX-License-Identifier: Apache-2.0 */
/* A core without work asks a neighbour for a task that may migrate: docs/design/services.md, "Idle
 * pulling". All with interrupts disabled. */
#include "sched/pull.h"

#include "atomic.h"
#include "core.h"
#include "remote/inbox.h"
#include "remote/migrate.h"
#include "time/time.h"

/* The first ready task that the core need not run itself and that may go there, null: none. The
 * running one stays, and so does the one that runs next. Bound: the core's ready tasks. */
static struct task *find_for(const struct core *core, uint32_t to) {
    const struct task *first = ready_first(&core->ready);
    for (uint64_t levels = core->ready.levels; levels != 0; levels &= levels - 1) {
        struct task *task = core->ready.level[bits_lowest(levels)].first;
        for (; task != 0; task = task->ready_next) {
            bool is_needed = task == first || task == core->running || task->departs;
            if (!is_needed && migration_target(task, to) != 0) {
                return task;
            }
        }
    }
    return 0;
}

/* Sends a task to the core that has asked; on the core that is asked. */
static void pull_answer(struct post *post) {
    struct core *to = (struct core *)((char *)post - offsetof(struct core, pull));
    struct task *task = find_for(core_here(), to->index);
    /* Release: pairs with the acquire in pull_look, after which the post is linked anew. */
    atomic_store_release(&to->pulls, 0);
    if (task != 0) {
        task->destination = to;
        migration_request(task);
    }
}

/* Returns whether a core seems to have more than one ready task; a look at words that it is
 * writing. */
static bool has_more(struct core *core) {
    uint64_t levels = __atomic_load_n(&core->ready.levels, __ATOMIC_RELAXED);
    if (levels == 0 || (levels & (levels - 1)) != 0) {
        return levels != 0;
    }
    unsigned level = bits_lowest(levels);
    return __atomic_load_n(&core->ready.level[level].first, __ATOMIC_RELAXED) !=
           __atomic_load_n(&core->ready.level[level].last, __ATOMIC_RELAXED);
}

static bool pull_ask(struct core *core, struct core *neighbour) {
    if (neighbour == core || !has_more(neighbour)) {
        return false;
    }
    core->pulls = 1; /* seen with the post */
    inbox_push(neighbour, &core->pull);
    return true;
}

void pull_look(struct core *core) {
    if (core->pull_timer.place != 0 || atomic_load_acquire(&core->pulls) != 0) {
        return;
    }
    timer_start(&core->timers, &core->pull_timer, time_add(takt_time_now(), takt_idle_pull));
    uint32_t next = core->index + 1 < takt_core_count ? core->index + 1 : 0;
    uint32_t previous = (core->index != 0 ? core->index : takt_core_count) - 1;
    if (!pull_ask(core, takt_cores[next])) {
        pull_ask(core, takt_cores[previous]);
    }
}

/* The interrupt is all that is wanted: if the core idles still, it looks again. */
static void look_again(struct timer *timer) {
    (void)timer;
}

void pull_init(struct core *core) {
    core->pull.answer = pull_answer;
    core->pull_timer.expire = look_again;
    core->pull_timer.order = UINT32_MAX - 2;
}
