/* SPDX-License-Identifier: Apache-2.0 */
#include "parmgr.h"

const struct parmgr_place parmgr_places[TAKT_OPENMP_THREADS + 1] = {TAKT_OPENMP_PLACES};
const struct parmgr_team parmgr_teams[TAKT_OPENMP_TEAMS + 1] = {TAKT_OPENMP_TEAM_ROWS};

/* The assembler's name is GCC's for the word of a critical section's name. */
#define PARMGR_CRITICAL(name, mutex)                                                               \
    extern uint64_t parmgr_critical_##name __asm__(".gomp_critical_user_" #name);                  \
    uint64_t parmgr_critical_##name = (uint64_t)(mutex) << PARMGR_CRITICAL_SHIFT;

TAKT_OPENMP_CRITICALS
