// SPDX-License-Identifier: Apache-2.0
//! The trees along which the cores pass the activation of a team's blocking workers on to each
//! other (`kernel/team/team.h`).

use crate::Team;

/// How long a core takes to post an activation to another one, and how long until that core can
/// post, in the same unit. Measured on `xeon40`: docs/design/forkjoin.md, "The tree".
const POST: u32 = 1;
const DELIVERY: u32 = 2;
/// The most posts of a core: they are one section with interrupts disabled.
const MOST_LINKS: usize = 4;

/// For each thread, the threads to which its core passes the activation on. Every thread that
/// blocks is reached from thread 0, through threads with lower numbers.
///
/// The thread that is the first to be free again posts next: to the first thread of a group that
/// no post has reached yet, else to the next one of its own group, for which the last post of each
/// core is kept.
pub fn links(team: &Team) -> Vec<Vec<usize>> {
    let mut links = vec![Vec::new(); team.len()];
    let mut free = vec![Some(0)]; // by thread: when it can post; None: it has no post yet
    free.resize(team.len(), None);
    let waits = |free: &[Option<u32>], thread: usize| {
        thread > 0 && !team[thread].spins && free[thread].is_none()
    };
    let target = |free: &[Option<u32>], links: &[Vec<usize>], from: usize| {
        let group = |thread: usize| team[thread].group;
        let reached =
            |other: u32| (0..team.len()).any(|it| free[it].is_some() && group(it) == other);
        let mut waiting = (0..team.len()).filter(|thread| waits(free, *thread));
        let may_leave = links[from].len() + 1 < MOST_LINKS;
        let far = waiting.clone().find(|thread| may_leave && !reached(group(*thread)));
        far.or_else(|| waiting.find(|thread| group(*thread) == group(from)))
    };
    loop {
        let senders = (0..team.len()).filter_map(|from| {
            let time = free[from].filter(|_| links[from].len() < MOST_LINKS)?;
            Some((time, from, target(&free, &links, from)?))
        });
        let Some((time, from, to)) = senders.min() else { break };
        free[from] = Some(time + POST);
        free[to] = Some(time + POST + DELIVERY);
        links[from].push(to);
    }
    links.iter_mut().for_each(|links| links.sort_unstable());
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TeamThread;

    fn team(groups: &[u32], spins: &[usize]) -> Team {
        let threads = groups.iter().enumerate();
        threads
            .map(|(task, group)| TeamThread { task, group: *group, spins: spins.contains(&task) })
            .collect()
    }

    /// Every thread that blocks has one link to it, from a thread with a lower number.
    fn check(team: &Team) -> Vec<Vec<usize>> {
        let links = links(team);
        for (to, thread) in team.iter().enumerate().skip(1) {
            let from: Vec<usize> = (0..team.len()).filter(|it| links[*it].contains(&to)).collect();
            assert_eq!(from.len(), usize::from(!thread.spins), "thread {to} of {links:?}");
            assert!(from.iter().all(|from| *from < to));
        }
        assert!(links.iter().all(|it| it.len() <= MOST_LINKS));
        links
    }

    #[test]
    fn a_tree_reaches_all_that_block() {
        for threads in 1..=128 {
            for size in [1, 4, 10, 128] {
                let groups: Vec<u32> = (0..threads).map(|it| it / size).collect();
                check(&team(&groups, &[]));
                let odd: Vec<usize> = (0..threads as usize).filter(|it| it % 2 == 1).collect();
                check(&team(&groups, &odd));
            }
        }
    }

    /// The first threads of other groups come first, and each posts inside its own.
    #[test]
    fn a_group_is_entered_once() {
        let groups: Vec<u32> = (0..40).map(|it| it / 10).collect();
        let links = check(&team(&groups, &[]));
        let entries =
            links.iter().enumerate().flat_map(|(from, it)| it.iter().map(move |to| (from, *to)));
        let far: Vec<usize> =
            entries.filter(|(from, to)| from / 10 != to / 10).map(|(_, to)| to).collect();
        assert_eq!(far, [10, 20, 30]);
        assert_eq!(links[0], [1, 10, 20, 30]);
    }
}
