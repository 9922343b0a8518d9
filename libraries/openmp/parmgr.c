/* SPDX-License-Identifier: Apache-2.0 */
#include "parmgr.h"

const struct parmgr_place parmgr_places[TAKT_OPENMP_THREADS + 1] = {TAKT_OPENMP_PLACES};
const struct parmgr_team parmgr_teams[TAKT_OPENMP_TEAMS + 1] = {TAKT_OPENMP_TEAM_ROWS};
