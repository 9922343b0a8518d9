// SPDX-License-Identifier: Apache-2.0
//! When bounds that hold are called proved, and why they are not.

mod common;

use common::build::{interrupt, measured, proof_of, stamp, system, task};
use takt_analysis::{Analysis, CheckDocument, Doubt, analyse, assign};
use takt_model::*;

/// One task on core 0, on a board whose overheads were measured as this system needs it.
fn one() -> System {
    system(vec![task("a", 1, 1, 100)])
}

fn doubts(system: &System) -> Vec<Doubt> {
    let analysis = proof_of(system);
    assert!(analysis.holds(), "{system:?}");
    assert_eq!(analysis.proved(), analysis.doubts.is_empty());
    assert_eq!(analysis.word(), Some(if analysis.proved() { "proved" } else { "computed" }));
    analysis.doubts
}

#[test]
fn one_core_with_what_was_measured_on_this_board_and_kernel_is_proved() {
    assert_eq!(doubts(&one()), []);
}

#[test]
fn assumed_and_published_overheads_prove_nothing() {
    let mut system = one();
    system.board.overheads.source = OverheadSource::Assumed;
    assert_eq!(doubts(&system), [Doubt::Assumed]);
    system.board.overheads.source = OverheadSource::Published;
    assert_eq!(doubts(&system), [Doubt::Published]);
}

/// Before the stamp was compared, or where there is none, nothing says what was measured.
#[test]
fn without_a_stamp_that_was_compared_nothing_is_proved() {
    let mut system = one();
    let analysis = analyse(&system, &assign(&system).unwrap());
    assert_eq!(analysis.doubts, [Doubt::StampNotCompared]);
    assert!(analysis.holds() && !analysis.proved());
    system.board.overheads.stamp = None;
    assert_eq!(doubts(&system), [Doubt::NoStamp]);
}

#[test]
fn a_foreign_stamp_proves_nothing() {
    let analysed = |timing: &str, kernel: &str| -> Analysis {
        let system = one();
        let mut analysis = analyse(&system, &assign(&system).unwrap());
        let now = Stamp { timing: timing.into(), kernel: kernel.into() };
        analysis.compare_stamp(&system.board.overheads, Some(&now));
        assert!(analysis.holds());
        analysis
    };
    let Stamp { timing, kernel } = stamp();
    assert!(analysed(&timing, &kernel).proved());
    for (timing, kernel, other_board, other_kernel) in [
        ("x", kernel.as_str(), true, false),
        (timing.as_str(), "x", false, true),
        ("x", "x", true, true),
    ] {
        let analysis = analysed(timing, kernel);
        assert_eq!(analysis.doubts, [Doubt::ForeignStamp { other_board, other_kernel }]);
        assert!(!analysis.proved());
    }
    // A board without timing has no stamp that could fit.
    let system = one();
    let mut analysis = analyse(&system, &assign(&system).unwrap());
    analysis.compare_stamp(&system.board.overheads, None);
    assert_eq!(analysis.doubts, [Doubt::NoStamp]);
}

#[test]
fn without_conditions_nothing_is_proved() {
    let mut system = one();
    system.board.overheads.measured = None;
    assert_eq!(doubts(&system), [Doubt::NoConditions]);
}

#[test]
fn a_table_that_does_not_say_which_paths_were_measured_proves_nothing() {
    let mut system = one();
    system.board.overheads.measured = Some(Measured { paths: None, ..measured() });
    assert_eq!(doubts(&system), [Doubt::NoPaths]);
}

/// A system of one task, and what makes it take the path.
fn taking(path: KernelPath) -> System {
    let handler = || Handler { function: "h".into(), wcet: Nanos(1) };
    let mutex = |protocol| Mutex { name: "m".into(), protocol, order: Order::Fifo, ceiling: None };
    let mut system = one();
    let task = &mut system.tasks[0];
    let mut controls = |target| task.rights.controls.push(Control { target, separation: None });
    match path {
        KernelPath::Terminate => controls(Target::Task(0, Action::Terminate)),
        KernelPath::Observe => controls(Target::Task(0, Action::Observe)),
        KernelPath::Budget => {
            task.budget = Some(Budget { time: Nanos(50), stops: true, handler: None });
        }
        KernelPath::DeadlineHandler => task.deadline_handler = Some(handler()),
        KernelPath::CpuLock => task.rights.cpu_lock = Some(Nanos(1)),
        KernelPath::DispatchDisable => task.rights.dispatch_disable = Some(Nanos(1)),
        KernelPath::Cyclic => system.cyclics.push(cyclic(0)),
        KernelPath::Alarm => system.alarms.push(alarm(0)),
        KernelPath::Mutex => system.mutexes.push(mutex(Protocol::Inherit)),
        KernelPath::MsrpMutex => system.mutexes.push(mutex(Protocol::Msrp)),
        KernelPath::SpinLock => system.spin_locks.push("s".into()),
        KernelPath::IdlePull => system.kernel.idle_pull = Some(Nanos(10_000)),
        KernelPath::Partition => {
            let name = "p".to_string();
            let health = Default::default();
            system.partitions.push(Partition { name, sources: Vec::new(), health, restarts: 0 });
        }
        KernelPath::Regulation => {
            let budgets = vec![None; system.cores as usize];
            system.regulation = Some(Regulation { period: Nanos(100_000), budgets, kernel: None });
        }
        KernelPath::FloatingPoint => {}
        _ => panic!("{path:?}"),
    }
    system
}

/// The table has all paths, and then all but the one.
#[test]
fn a_path_of_the_kernel_that_was_not_measured_is_named() {
    for path in [
        KernelPath::FloatingPoint,
        KernelPath::Budget,
        KernelPath::DeadlineHandler,
        KernelPath::CpuLock,
        KernelPath::DispatchDisable,
        KernelPath::Cyclic,
        KernelPath::Alarm,
        KernelPath::Mutex,
        KernelPath::MsrpMutex,
        KernelPath::SpinLock,
        KernelPath::IdlePull,
        KernelPath::Terminate,
        KernelPath::Observe,
        KernelPath::Partition,
        KernelPath::Regulation,
    ] {
        let mut system = taking(path);
        let named = |system: &System| {
            let doubts = analyse(system, &assign(system).unwrap()).doubts;
            let paths = doubts.into_iter().filter_map(|doubt| match doubt {
                Doubt::NotExercised { path } => Some(path),
                _ => None,
            });
            paths.collect::<Vec<_>>()
        };
        assert!(named(&system).is_empty(), "{path:?}");
        let table = system.board.overheads.measured.as_mut().unwrap();
        table.paths.as_mut().unwrap().retain(|one| *one != path);
        assert_eq!(named(&system), [path.word()]);
    }
}

#[test]
fn an_image_of_another_compiler_is_not_proved() {
    let system = one();
    let mut analysis = proof_of(&system);
    analysis.built_with("--clang");
    assert_eq!(analysis.doubts, [Doubt::OtherBuild { option: "--clang" }]);
    assert_eq!(analysis.word(), Some("computed"));
}

#[test]
fn another_kernel_than_was_measured_is_not_proved() {
    let other = |change: &dyn Fn(&mut Kernel), key, measured, system| {
        let mut changed = one();
        change(&mut changed.kernel);
        assert_eq!(doubts(&changed), [Doubt::OtherKernel { key, measured, system }]);
    };
    let tas = |kernel: &mut Kernel| kernel.locking.spinlock = Spinlock::Tas;
    other(&tas, "spinlock", "ticket", "tas");
    let backoff = |kernel: &mut Kernel| kernel.locking.backoff = Backoff::Exponential;
    other(&backoff, "backoff", "none", "exponential");
    let giant = |kernel: &mut Kernel| kernel.locking.granularity = Granularity::Giant;
    other(&giant, "granularity", "object", "giant");
    let generic = |kernel: &mut Kernel| kernel.own_task = OwnTask::Generic;
    other(&generic, "own_task", "register", "generic");
    let page = |kernel: &mut Kernel| kernel.homing = Homing::Page;
    other(&page, "homing", "none", "page");
}

/// A task that is released has a timer; one that waits has another; and so on.
#[test]
fn more_timers_than_were_measured_are_not_proved() {
    let mut system = one();
    system.board.overheads.measured = Some(Measured { timers_per_core: 2, ..measured() });
    // There are two timers: for the release, and for the end of the run on core 0.
    assert_eq!(doubts(&system), []);
    let exceeds = |system| Doubt::Exceeds { key: "timers_per_core", core: 0, measured: 2, system };
    let mut sleeper = system.clone();
    sleeper.tasks[0].suspends = Some(Nanos(1));
    assert_eq!(doubts(&sleeper), [exceeds(3)]);
    let mut console = system.clone();
    console.kernel.console_core = 0;
    assert_eq!(doubts(&console), [exceeds(3)]);
    let mut pulling = system.clone();
    pulling.kernel.idle_pull = Some(Nanos(10_000));
    pulling.cores = 2;
    assert_eq!(doubts(&pulling), [exceeds(3)]);
    // With `idle_pull` the four cores look for work at each other.
    pulling.cores = 4;
    let locks = Doubt::Exceeds { key: "cores_per_lock", core: 0, measured: 2, system: 4 };
    assert_eq!(doubts(&pulling), [locks, exceeds(3)]);
    system.cyclics.push(cyclic(0));
    system.alarms.push(alarm(0));
    assert_eq!(doubts(&system), [exceeds(4)]);
}

#[test]
fn a_task_that_waits_and_that_its_budget_stops_is_not_proved() {
    let mut system = system(vec![task("high", 1, 1, 100), task("low", 2, 1, 100)]);
    system.tasks[0].suspends = Some(Nanos(1));
    assert_eq!(doubts(&system), []);
    let time = Nanos(system.tasks[0].wcet.unwrap().0 / 2);
    system.tasks[0].budget = Some(Budget { time, stops: true, handler: None });
    assert_eq!(doubts(&system), [Doubt::StoppedWaiter { task: "high".to_string() }]);
    system.tasks[0].suspends = None;
    assert_eq!(doubts(&system), []);
}

#[test]
fn more_cores_than_were_measured_are_not_proved() {
    let mut system = one();
    let cores = system.cores;
    system.board.overheads.measured = Some(Measured { cores: cores - 1, ..measured() });
    let exceeds = Doubt::Exceeds { key: "cores", core: 0, measured: cores - 1, system: cores };
    assert_eq!(doubts(&system), [exceeds]);
}

#[test]
fn more_interrupts_than_were_measured_are_not_proved() {
    let mut system = one();
    system.board.overheads.device_interrupt = Some(Nanos(0));
    system.interrupts = vec![interrupt("a", Some(50), Some(1))];
    assert_eq!(doubts(&system), []);
    system.interrupts.push(interrupt("b", Some(50), Some(1)));
    let key = "interrupt_sources";
    assert_eq!(doubts(&system), [Doubt::Exceeds { key, core: 0, measured: 1, system: 2 }]);
}

fn neighbours_of(cores: u32) -> Doubt {
    Doubt::Neighbours { cores, why: "nobody has looked at the image".into() }
}

/// Whatever brings the application's code to a second core makes it a neighbour.
#[test]
fn a_second_core_is_a_neighbour_that_nothing_bounds() {
    let neighbours = neighbours_of(2);
    let second = |change: &dyn Fn(&mut System)| {
        let mut system = one();
        change(&mut system);
        assert_eq!(doubts(&system), std::slice::from_ref(&neighbours));
    };
    second(&|system| {
        let mut other = task("b", 2, 1, 100);
        other.core = Some(1);
        system.tasks.push(other);
    });
    second(&|system| system.cyclics.push(cyclic(1)));
    second(&|system| system.alarms.push(alarm(1)));
    second(&|system| {
        system.board.overheads.device_interrupt = Some(Nanos(0));
        system.interrupts = vec![Interrupt { core: 1, ..interrupt("a", Some(50), Some(1)) }];
    });
    // A task may deliver the interrupt to any core, so the second core of the system is active, too.
    second(&|system| {
        system.cores = 2;
        system.kernel.console_core = 1;
        system.board.overheads.device_interrupt = Some(Nanos(0));
        system.interrupts = vec![interrupt("a", Some(50), Some(1))];
        let (target, separation) = (Target::Interrupt(0), Some(Nanos(50)));
        system.tasks[0].rights.controls = vec![Control { target, separation }];
    });
    // A task without a deadline may migrate to the second core.
    second(&|system| {
        let mut guest = task("b", 2, 1, 100);
        guest.activation = Activation::Aperiodic;
        guest.deadline = None;
        guest.cores = vec![0, 1];
        system.tasks.push(guest);
    });
}

#[test]
fn more_cores_at_a_lock_than_were_measured_are_not_proved() {
    let mut system = one();
    for core in 1..3 {
        let mut other = task(&format!("b{core}"), 2, 1, 100);
        other.core = Some(core);
        system.tasks.push(other);
    }
    let exceeds = Doubt::Exceeds { key: "cores_per_lock", core: 2, measured: 2, system: 3 };
    assert_eq!(doubts(&system), [exceeds, neighbours_of(3)]);
}

#[test]
fn the_reasons_are_in_the_json() {
    let mut system = one();
    system.kernel.locking.spinlock = Spinlock::Tas;
    let json = serde_json::to_value(CheckDocument::new(&system, &proof_of(&system))).unwrap();
    assert_eq!((&json["holds"], &json["proved"]), (&true.into(), &false.into()));
    assert_eq!(json["word"], "computed");
    assert_eq!(json["doubts"][0]["reason"], "other_kernel");
    assert_eq!(json["doubts"][0]["key"], "spinlock");
    let text = "the overheads were measured with spinlock = \"ticket\", and the system has \"tas\"";
    assert_eq!(json["doubts"][0]["text"], text);
    let json = serde_json::to_value(CheckDocument::new(&one(), &proof_of(&one()))).unwrap();
    assert_eq!((&json["word"], json["doubts"].as_array().unwrap().len()), (&"proved".into(), 0));
    let mut late = one();
    late.tasks[0].wcet = Some(Nanos(101));
    let json = serde_json::to_value(CheckDocument::new(&late, &proof_of(&late))).unwrap();
    assert_eq!((&json["word"], &json["proved"]), (&serde_json::Value::Null, &false.into()));
}

fn cyclic(core: u32) -> Cyclic {
    Cyclic {
        name: "c".into(),
        function: "c".into(),
        argument: 0,
        core,
        period: Nanos(1000),
        offset: Nanos(0),
        wcet: Nanos(1),
        start: true,
    }
}

fn alarm(core: u32) -> Alarm {
    Alarm {
        name: "a".into(),
        function: "a".into(),
        argument: 0,
        core,
        separation: Some(Nanos(1000)),
        wcet: Some(Nanos(1)),
    }
}
