/* SPDX-License-Identifier: Apache-2.0 */
/* The fork: the master publishes a function and its data, and calls it together with the workers
 * of its team. */
#include "gomp.h"
#include "thread.h"

_Thread_local struct thread takt_openmp_thread = {.threads = 1, .most = 1};

/* Each has one entry more than is used, because a description may have no team. */
static struct team teams[TAKT_OPENMP_TEAMS + 1];
static struct count groups[TAKT_OPENMP_GROUPS + 1];

/* Makes the calling task a thread of the team. */
static void thread_enter(struct thread *self, int team, uint32_t number) {
    self->number = number;
    self->team = &teams[team];
    self->places = &parmgr_places[parmgr_teams[team].first_place];
    self->place = &self->places[number];
    self->groups = &groups[parmgr_teams[team].first_group];
    self->most = parmgr_teams[team].threads;
}

void thread_look(struct thread *self) {
    takt_id task = takt_task_self();
    takt_assert(task != TAKT_ID_NONE); /* a handler forks nothing */
    self->looked = true;
    for (int team = 0; team < TAKT_OPENMP_TEAMS; team++) {
        if (parmgr_places[parmgr_teams[team].first_place].task == task) {
            thread_enter(self, team, 0);
        }
    }
}

/* Runs a region of one thread. Its loops and singles do not affect those of the region around it.
 */
static __attribute__((noinline)) void run_alone(struct thread *self, void (*function)(void *),
                                                void *data) {
    struct thread around = *self;
    self->number = 0;
    self->threads = 1;
    self->level++;
    self->job = takt_task_release_time();
    self->shares = 0;
    self->singles = 0;
    self->loop = (struct loop){};
    self->own = (struct shares){};
    function(data);
    *self = around;
}

/* Activates the workers that block, one after the other. A kernel service that activates all of
 * them at once would replace this loop. */
static void fork_activate(const struct thread *self) {
    for (uint32_t number = 1; number < self->threads; number++) {
        if (!self->places[number].spins) {
            takt_assert(takt_task_activate(self->places[number].task) == TAKT_OK);
        }
    }
}

static void fork_and_join(struct thread *self, void (*function)(void *), void *data,
                          uint32_t threads) {
    struct team *team = self->team;
    self->threads = threads;
    self->level = 1;
    self->active = true;
    self->job = takt_task_release_time();
    self->shares = &team->shares;
    uint64_t region = self->arrivals + 1;
    team->fork.function = function;
    team->fork.data = data;
    team->fork.singles = self->singles;
    team->fork.loops = self->loop.number;
    store_release(&team->fork.word, region << 32 | threads);
    fork_activate(self);
    function(data);
    team_join(self);
    self->threads = 1;
    self->level = 0;
    self->active = false;
    self->shares = 0;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    struct thread *self = thread_self();
    if (!self->looked) {
        thread_look(self);
    }
    /* In a worker, the number 0 means that this region is inside one of run_alone. */
    if (self->level > 0 && self->number == 0 && self->job != takt_task_release_time()) {
        takt_panic("openmp: a job of this task has ended inside a parallel region");
    }
    uint32_t asked = threads ? threads : self->wanted ? self->wanted : self->most;
    uint32_t given = asked < self->most ? asked : self->most;
    if (given == 1 || self->level > 0) {
        run_alone(self, function, data);
    } else {
        fork_and_join(self, function, data, given);
    }
}

/* Executes a worker's part of the region that the word names. */
static void take_part(struct thread *self, uint64_t word) {
    const struct team *team = self->team;
    self->threads = (uint32_t)word;
    self->arrivals = (uint32_t)(word >> 32) - 1;
    self->singles = team->fork.singles;
    self->loop.number = team->fork.loops;
    self->loop.kept = false;
    team->fork.function(team->fork.data);
    team_join(self);
}

static _Noreturn void spin(struct thread *self) {
    const uint64_t *fork = &self->team->fork.word;
    uint64_t seen = 0;
    for (;;) {
        uint64_t word;
        while ((word = __atomic_load_n(fork, __ATOMIC_RELAXED)) == seen) {
        }
        seen = word;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (self->number < (uint32_t)word) {
            take_part(self, word);
        }
    }
}

static void worker_look(struct thread *self, uint32_t place) {
    int team = 0;
    while (place >= parmgr_teams[team].first_place + parmgr_teams[team].threads) {
        team++;
    }
    self->looked = true;
    thread_enter(self, team, place - parmgr_teams[team].first_place);
    self->shares = &self->team->shares;
    self->level = 1;
    self->active = true;
}

/* The entry of every worker's task. A worker that spins has one job, which never ends. A worker
 * that blocks has one job for each region. */
void takt_openmp_worker(intptr_t place) {
    struct thread *self = thread_self();
    if (!self->looked) {
        worker_look(self, (uint32_t)place);
    }
    if (parmgr_places[place].spins) {
        spin(self);
    }
    take_part(self, __atomic_load_n(&self->team->fork.word, __ATOMIC_ACQUIRE));
}
