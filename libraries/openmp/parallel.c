/* SPDX-License-Identifier: Apache-2.0 */
/* The fork: the master publishes a function and its data, and calls it together with the workers
 * of its team. */
#include <omp.h>

#include "gomp.h"
#include "thread.h"

_Thread_local struct thread takt_openmp_thread = {.threads = 1, .settings = TAKT_OPENMP_SETTINGS};

/* Each has one entry more than is used, because a description may have no team. */
static struct team teams[TAKT_OPENMP_TEAMS + 1];
static struct count groups[TAKT_OPENMP_GROUPS + 1];

/* Makes the calling task a thread of the team. */
static void thread_enter(struct thread *self, const struct parmgr_team *row, uint32_t number) {
    self->number = number;
    self->shares = &teams[row - parmgr_teams].shares;
    self->team = &teams[row - parmgr_teams];
    self->places = &parmgr_places[row->first_place];
    self->place = &self->places[number];
    self->groups = &groups[row->first_group];
    self->blocks = row->blocks;
}

/* Looks up the first team that the calling task forks into. Bound: the number of teams. */
static void thread_look(struct thread *self) {
    takt_id task = takt_task_self();
    takt_assert(task != TAKT_ID_NONE); /* a handler forks nothing */
    self->looked = true;
    for (int team = TAKT_OPENMP_TEAMS - 1; team >= 0; team--) {
        if (parmgr_places[parmgr_teams[team].first_place].task == task) {
            self->forks = &parmgr_teams[team];
        }
    }
}

struct thread *thread_looked(void) {
    struct thread *self = thread_self();
    if (!self->looked) {
        thread_look(self);
    }
    return self;
}

uint32_t thread_count(const struct thread *self, uint32_t asked) {
    uint32_t most = self->forks ? self->forks->threads : 1;
    if (self->active >= self->settings.max_levels || asked == 1) {
        return 1;
    }
    return asked > 0 && asked < most ? asked : most;
}

/* Activates the workers that block: along a tree of their cores, or one after the other where the
 * kernel has no trees. */
static void fork_activate(const struct thread *self) {
    if (TAKT_OPENMP_TREES) {
        takt_id team = (takt_id)(self->team - teams) + 1;
        takt_assert(takt_team_activate(team, self->threads) == TAKT_OK);
        return;
    }
    for (uint32_t number = 1; number < self->threads; number++) {
        if (!self->places[number].spins) {
            takt_assert(takt_task_activate(self->places[number].task) == TAKT_OK);
        }
    }
}

/* Makes the caller the master of the team that it forks into, and publishes the region. */
static void fork_begin(struct thread *self, void (*function)(void *), void *data) {
    const struct parmgr_team *row = self->forks;
    thread_enter(self, row, 0);
    self->forks = row->inner > 0 ? &parmgr_teams[row->inner - 1] : 0;
    self->active++;
    struct team *team = self->team;
    self->numbers = team->numbers;
    uint64_t region = self->numbers.arrivals + 1;
    team->fork.function = function;
    team->fork.data = data;
    team->fork.around = self->around;
    team->fork.settings = self->settings;
    team->fork.singles = self->numbers.singles;
    team->fork.loops = self->numbers.loops;
    team->fork.ordered = self->numbers.ordered;
    team->fork.level = self->level;
    team->fork.active = self->active;
    store_release(&team->fork.word, region << 32 | self->threads);
    if (self->blocks) {
        fork_activate(self);
    }
}

/* Runs a region. Afterwards the thread is what it was before: a loop, a team, settings. */
static void region_run(struct thread *self, void (*function)(void *), void *data,
                       uint32_t threads) {
    struct thread around = *self;
    self->around = &around;
    self->threads = threads;
    self->level++;
    self->job = takt_task_release_time();
    self->loop = (struct loop){};
    if (threads > 1) {
        fork_begin(self, function, data);
        function(data);
        team_join(self);
        self->team->numbers = self->numbers;
    } else {
        self->number = 0;
        self->shares = 0;
        self->numbers = (struct numbers){};
        self->own = (struct shares){};
        function(data);
    }
    *self = around;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    struct thread *self = thread_looked();
    if (self->level > 0 && !self->worker && self->job != takt_task_release_time()) {
        takt_panic("openmp: a job of this task has ended inside a parallel region");
    }
    uint32_t asked = threads > 0 ? threads : self->settings.threads;
    region_run(self, function, data, thread_count(self, asked));
}

/* Executes a worker's part of the region that the word names. */
static void take_part(struct thread *self, uint64_t word) {
    const struct team *team = self->team;
    self->threads = (uint32_t)word;
    self->numbers = (struct numbers){.arrivals = (uint32_t)(word >> 32) - 1,
                                     .singles = team->fork.singles,
                                     .loops = team->fork.loops,
                                     .ordered = team->fork.ordered};
    self->level = team->fork.level;
    self->active = team->fork.active;
    self->around = team->fork.around;
    self->settings = team->fork.settings;
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
    const struct parmgr_team *row = parmgr_teams;
    while (place >= row->first_place + row->threads) {
        row++;
    }
    thread_look(self);
    thread_enter(self, row, place - row->first_place);
    self->worker = true;
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
