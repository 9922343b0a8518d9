/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of the manager of parallelism: which tasks are the threads of a team, how each
 * waits, and which threads form a group at joins. The configurator writes them
 * (takt/openmp_system.h); the runtime knows nothing else of the description.
 * docs/design/forkjoin.md. */
#ifndef LIBRARIES_OPENMP_PARMGR_H
#define LIBRARIES_OPENMP_PARMGR_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/openmp_system.h>
#include <takt/types.h>

/* One thread of a team. Its group consists of the threads `first` to `end` - 1. */
struct parmgr_place {
    takt_id task;
    uint16_t group, first, end;
    bool spins; /* true: it waits by spinning, alone on its core; false: it blocks */
};

/* One team. Its places and its groups follow each other from the given indices on. */
struct parmgr_team {
    uint32_t threads; /* thread 0 is the master, which forks */
    uint32_t first_place, first_group;
    uint32_t inner; /* 1 more than the team into which the master forks inside a region; 0: none */
    bool blocks;    /* one of its threads blocks */
};

/* GCC reserves a word for each name of a critical section. If the description declares the section,
 * the word is defined here, and its upper half is the ID of the section's mutex; else it is 0. */
#define PARMGR_CRITICAL_SHIFT 32

/* Each table has one entry more than is used, because a description may have no team. */
extern const struct parmgr_place parmgr_places[TAKT_OPENMP_THREADS + 1];
extern const struct parmgr_team parmgr_teams[TAKT_OPENMP_TEAMS + 1];

#endif
