// SPDX-License-Identifier: Apache-2.0
//! The kernel's tables of the trees along which the cores pass the activation of a team on to each
//! other (`kernel/team/team.h`).

use takt_model::{Openmp, Placement, System, tree::links};

/// Whether the kernel activates teams: it has a worker that blocks, and the placement has posts.
pub fn used(system: &System) -> bool {
    let blocks = |openmp: &Openmp| {
        openmp.teams.iter().any(|team| team[1..].iter().any(|thread| !thread.spins))
    };
    system.kernel.placement == Placement::Distributed && system.openmp.as_ref().is_some_and(blocks)
}

pub fn cmake(system: &System) -> String {
    if used(system) { "set(TAKT_TEAMS ON)\n".into() } else { String::new() }
}

/// The part of `system.c`.
pub fn source(system: &System) -> String {
    let Some(openmp) = system.openmp.as_ref().filter(|_| used(system)) else {
        return String::new();
    };
    let (mut roots, mut members, mut flat) = (Vec::new(), Vec::new(), Vec::new());
    for team in &openmp.teams {
        let root = members.len();
        roots.push(root.to_string());
        for (thread, links) in links(team).iter().enumerate() {
            let (task, first) = (team[thread].task + 1, flat.len());
            members.push(format!("    {{{task}, {thread}, {first}, {}}},\n", links.len()));
            flat.extend(links.iter().map(|link| (root + link).to_string()));
        }
    }
    let (teams, count) = (openmp.teams.len(), members.len());
    format!(
        "/* Teams: members in the order of their threads, and the members below each. */\n\
         const uint32_t takt_team_count = {teams};\n\
         const uint16_t takt_team_roots[] = {{{}}};\n\
         const struct takt_team_member takt_team_members[] = {{\n{}}};\n\
         const uint16_t takt_team_links[] = {{{}}};\n\
         struct team_post takt_team_posts[{count}];\n\n",
        roots.join(", "),
        members.concat(),
        flat.join(", ")
    )
}
