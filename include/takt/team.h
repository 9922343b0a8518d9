/* SPDX-License-Identifier: Apache-2.0 */
/* Teams of the description: tasks that are activated together. The cores pass the activation on to
 * each other along a tree, which the configurator has laid. */
#ifndef INCLUDE_TAKT_TEAM_H
#define INCLUDE_TAKT_TEAM_H

#include <stdint.h>

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Activates those tasks of the team that block and whose threads have numbers below `threads`;
 * their release time is that of the call. Returns before they are activated. A task whose job has
 * not ended yet is activated when it has; all that the latest call has activated must have begun
 * since, or the kernel panics.
 * Time: one post for each branch of the tree that begins at thread 0; one post for each branch,
 * and an activation, on the core of each such task, above all tasks.
 * Context: the task that is thread 0. Errors: TAKT_E_ID, TAKT_E_CTX. */
takt_error takt_team_activate(takt_id team, uint32_t threads);

#ifdef __cplusplus
}
#endif

#endif
