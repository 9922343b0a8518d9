/* SPDX-License-Identifier: Apache-2.0 */
#include "team/team.h"

#include <takt/team.h>

#include "atomic.h"
#include "core.h"
#include "remote/inbox.h"
#include "service.h"
#include "system.h"
#include "task/job.h"
#include "time/time.h"

static void team_answer(struct post *post);

/* Writes the activation of a member. Stores come before the load of `posted` in team_push, so that
 * the line travels once, and the lines of several members at a time. Interrupts disabled, or the
 * caller is the only one who posts to the member. */
static void team_prepare(uint32_t member, takt_time release, uint32_t threads) {
    struct team_post *activation = &takt_team_posts[member];
    activation->post.answer = team_answer;
    activation->release = release;
    activation->threads = threads;
}

/* Posts the activation. The member's core stays the same: workers do not migrate. Wait-free.
 * Interrupts disabled. */
static void team_push(uint32_t member) {
    struct team_post *activation = &takt_team_posts[member];
    /* Acquire: the owner's reads are over; pairs with the release in team_answer. */
    if (__atomic_load_n(&activation->posted, __ATOMIC_ACQUIRE)) {
        kernel_panic(0, "a team was activated before all of its tasks had begun");
    }
    atomic_store_relaxed(&activation->posted, true); /* seen with the post */
    struct task *task = takt_tasks[takt_team_members[member].task - 1];
    inbox_push(takt_cores[task->config->core], &activation->post);
}

/* Returns whether the link exists and leads to a thread that takes part. Links are in ascending
 * order of threads. */
static bool team_reaches(const struct takt_team_member *member, uint32_t link, uint32_t threads) {
    return link < member->links &&
           takt_team_members[takt_team_links[member->first + link]].thread < threads;
}

/* Passes the activation on, and then activates the member's own task. On its core, in the handler
 * of the interrupt that other cores send. Bound: the member's links. */
static void team_answer(struct post *post) {
    struct team_post *activation =
        (struct team_post *)((char *)post - offsetof(struct team_post, post));
    const struct takt_team_member *member = &takt_team_members[activation - takt_team_posts];
    takt_time release = activation->release;
    uint32_t threads = activation->threads;
    /* Release: pairs with the acquire in team_push. */
    atomic_store_release(&activation->posted, false);
    for (uint32_t link = 0; team_reaches(member, link, threads); link++) {
        team_prepare(takt_team_links[member->first + link], release, threads);
    }
    for (uint32_t link = 0; team_reaches(member, link, threads); link++) {
        team_push(takt_team_links[member->first + link]);
    }
    job_request(takt_tasks[member->task - 1], release, 0);
}

/* Interrupts are disabled for one post at a time. Bound: the links of thread 0. */
takt_error takt_team_activate(takt_id id, uint32_t threads) {
    takt_error error = service_check(id, takt_team_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    const struct takt_team_member *root = &takt_team_members[takt_team_roots[id - 1]];
    takt_time release = takt_time_now();
    for (uint32_t link = 0; team_reaches(root, link, threads); link++) {
        team_prepare(takt_team_links[root->first + link], release, threads);
    }
    for (uint32_t link = 0; team_reaches(root, link, threads); link++) {
        unsigned long interrupts = arch_interrupts_disable();
        team_push(takt_team_links[root->first + link]);
        arch_interrupts_restore(interrupts);
    }
    return TAKT_OK;
}
