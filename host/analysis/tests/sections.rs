// SPDX-License-Identifier: Apache-2.0
//! Sections with interrupts disabled, computed from the description as docs/design/sections.md says.

mod common;

use common::build::{no_overheads, system, task};
use takt_analysis::{Assignment, NoBound, analyse};
use takt_model::*;

/// A system with one task on each of so many cores, a kernel section of 10 and a release of 2.
fn with_cores(cores: u32) -> (System, Vec<Assignment>) {
    let tasks = (0..cores).map(|core| task(&format!("t{core}"), 1, 100, 10_000)).collect();
    let mut it = system(tasks);
    it.cores = 128;
    it.kernel.console_core = 127;
    it.board.overheads =
        Overheads { kernel_section: Nanos(10), release: Nanos(2), ..no_overheads() };
    (it, (0..cores).map(|core| Assignment { core, priority: 1 }).collect())
}

/// The bound of the first task.
fn bound(system: &System, assignments: &[Assignment]) -> u64 {
    analyse(system, assignments).rows[0].bound().expect("a bound").0
}

/// How much longer the bound becomes by a change of the description.
fn grows(cores: u32, change: impl Fn(&mut System)) -> u64 {
    let (mut system, assignments) = with_cores(cores);
    let before = bound(&system, &assignments);
    change(&mut system);
    bound(&system, &assignments) - before
}

fn message_buffer(message: u64) -> MessageBuffer {
    let (name, size, message) = ("box".into(), Bytes(8192), Bytes(message));
    MessageBuffer { name, size, message, order: Order::Fifo, core: None }
}

fn flag(shared: bool) -> Flag {
    Flag { name: "go".into(), initial: 0, clear: false, shared, order: Order::Fifo, core: None }
}

#[test]
fn a_message_is_a_step_for_each_line_and_again_for_the_one_at_the_lock() {
    let lines = 4096 / 64 + 1;
    assert_eq!(grows(1, |it| it.message_buffers.push(message_buffer(4096))), lines * 2);
    assert_eq!(grows(2, |it| it.message_buffers.push(message_buffer(4096))), 2 * lines * 2);
    assert_eq!(grows(1, |it| it.message_buffers.push(message_buffer(64))), 2 * 2);
}

#[test]
fn each_core_that_runs_anything_may_copy_a_message_before() {
    assert_eq!(grows(8, |it| it.message_buffers.push(message_buffer(64))), 8 * 2 * 2);
}

#[test]
fn a_shared_flag_is_a_step_for_each_task_that_may_wait() {
    let waits = |it: &mut System, shared| {
        it.tasks.iter_mut().skip(1).for_each(|task| task.suspends = Some(Nanos(5)));
        it.flags.push(flag(shared));
    };
    assert_eq!(grows(40, |it| waits(it, false)), 0);
    assert_eq!(grows(40, |it| waits(it, true)), 40 * 39 * 2); // its own, and 39 at the lock
}

#[test]
fn cores_that_share_a_lock_wait_for_each_other() {
    let giant = |it: &mut System| it.kernel.locking.granularity = Granularity::Giant;
    assert_eq!(grows(1, giant), 0);
    assert_eq!(grows(2, giant), 0); // as it was measured
    // The section before the window takes the lock twice, and so do the task's interrupt, release, dispatch and preemption.
    assert_eq!(grows(8, giant), 5 * 2 * 6 * 10);
    assert_eq!(grows(8, |it| it.kernel.locking.granularity = Granularity::Core), 5 * 2 * 6 * 10);
    let with_messages = |it: &mut System| {
        it.message_buffers.push(message_buffer(128));
        giant(it);
    };
    // Each of the seven others may copy three lines under the lock that a release waits for, too.
    assert_eq!(grows(8, with_messages), 3 * 2 + 5 * 2 * (6 * 10 + 7 * 3 * 2));
}

#[test]
fn a_lock_that_is_not_fair_bounds_nothing_where_cores_meet() {
    for spinlock in [Spinlock::Tas, Spinlock::Ttas] {
        let (mut system, assignments) = with_cores(2);
        system.kernel.locking.spinlock = spinlock;
        let analysis = analyse(&system, &assignments);
        assert!(!analysis.holds());
        let unknown = takt_analysis::Verdict::Unknown { why: NoBound::UnfairLock };
        assert!(analysis.rows.iter().all(|row| row.verdict == unknown));
    }
    assert_eq!(grows(1, |it| it.kernel.locking.spinlock = Spinlock::Tas), 0);
}

#[test]
fn what_an_ended_job_may_hold_is_given_back_in_one_section() {
    let lock = |name: &str| ReaderWriterLock { name: name.into(), order: Order::Fifo, core: None };
    let locks = |it: &mut System| it.reader_writer_locks = vec![lock("a"), lock("b"), lock("c")];
    assert_eq!(grows(1, locks), 3 * 2);
}

#[test]
fn a_chain_of_mutexes_that_lend_is_a_step_for_each_and_for_each_user() {
    let chain = |count: usize| {
        let tasks = (0..=count).map(|index| {
            let mut task = task(&format!("t{index}"), 1 + index as u8, 100, 1_000_000);
            let uses = (index.saturating_sub(1)..count.min(index + 1)).map(|mutex| MutexUse {
                mutex,
                hold: Some(Nanos(1)),
                times: 1,
                inside: vec![],
            });
            task.mutexes = uses.collect();
            task
        });
        let mut it = system(tasks.collect());
        it.board.overheads =
            Overheads { kernel_section: Nanos(10), release: Nanos(2), ..no_overheads() };
        let mutex = |index| Mutex {
            name: format!("m{index}"),
            protocol: Protocol::Inherit,
            order: Order::Fifo,
            ceiling: None,
        };
        it.mutexes = (0..count).map(mutex).collect();
        let assignments: Vec<_> =
            (0..=count).map(|index| Assignment { core: 0, priority: 1 + index as u8 }).collect();
        takt_analysis::longest_section(&it, &assignments, 0).0
    };
    assert_eq!(chain(1), 10);
    assert_eq!(chain(20), 10 + 2 * (20 + 21 - 3));
}

/// One interrupt follows each wait and wakes the task behind, as the caller wakes only one.
#[test]
fn a_wait_for_what_many_wait_for_is_carried_on_by_one_more_interrupt_beside_other_cores() {
    let grows = |cores| {
        grows(cores, |it| {
            it.board.overheads.ipi = Nanos(7);
            it.tasks[0].suspends = Some(Nanos(5));
            it.barriers.push(Barrier { name: "all".into(), participants: 2, core: None });
        })
    };
    // The task stops, so the section counts once more; besides, there are its sleep, its release, and the interrupt that follows.
    assert_eq!(grows(1), 10 + 5 + 2 + 2 + 7);
    assert_eq!(grows(2), 10 + 5 + 2 + 2 + 7 + 2 + 7);
}
