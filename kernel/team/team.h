/* SPDX-License-Identifier: Apache-2.0 */
/* Activations of many tasks along a tree of cores: docs/design/kernel.md, "Teams". */
#ifndef KERNEL_TEAM_H
#define KERNEL_TEAM_H

#include <stdint.h>

#include <takt/types.h>

#include "remote/post.h"

/* A task of a team. The members below it in the tree are takt_team_links[first] and the following
 * ones: indices of members, with ascending numbers of threads, all greater than its own. */
struct takt_team_member {
    uint16_t task, thread;
    uint16_t first, links;
};

/* An activation on its way to a member's core. Whoever posts it writes it while `posted` is false,
 * and nobody else posts to this member; then the member's core reads it until it stores false. */
struct team_post {
    struct post post;
    takt_time release;
    uint32_t threads; /* only threads with a lower number are activated */
    bool posted;      /* atomic */
} __attribute__((aligned(64)));

extern const uint32_t takt_team_count;
extern const uint16_t takt_team_roots[]; /* by team: the index of its thread 0 as a member */
extern const struct takt_team_member takt_team_members[];
extern const uint16_t takt_team_links[];
extern struct team_post takt_team_posts[]; /* by member */

#endif
