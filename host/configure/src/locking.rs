// SPDX-License-Identifier: Apache-2.0
//! Writes what the description says about locks: `kernel_choice.h` for the compiler, the locks of
//! the cores, and the lock of each object; also the other choices of the kernel.

use takt_model::{
    Activation, Assumption, Backoff, Granularity, OwnTask, Placement, Spinlock, System, Task,
};

use crate::banner;

/// The macros by which `kernel/lock/lock.h` chooses.
pub fn choice(system: &System) -> String {
    let granularity = match system.kernel.locking.granularity {
        Granularity::Giant => "GIANT",
        Granularity::Core => "CORE",
        Granularity::Object => "OBJECT",
    };
    let spinlock = match system.kernel.locking.spinlock {
        Spinlock::Tas => "TAS",
        Spinlock::Ttas => "TTAS",
        Spinlock::Ticket => "TICKET",
        Spinlock::Mcs => "MCS",
        Spinlock::K42 => "K42",
        Spinlock::Relay => "RELAY",
    };
    let backoff = match system.kernel.locking.backoff {
        Backoff::None => "NONE",
        Backoff::Proportional => "PROPORTIONAL",
        Backoff::Exponential => "EXPONENTIAL",
    };
    let placement = match system.kernel.placement {
        Placement::Distributed => "DISTRIBUTED",
        Placement::Semi => "SEMI",
        Placement::Central => "CENTRAL",
        Placement::Rtu => "RTU",
    };
    let own_task = match system.kernel.own_task {
        OwnTask::Generic => "GENERIC",
        OwnTask::Fast => "FAST",
        OwnTask::Register => "REGISTER",
    };
    let header = match variant(system.kernel.locking.spinlock) {
        Some(name) => format!("{name}.h"),
        None => "lock/spinlock_ticket.h".to_string(),
    };
    // The size of the table of waiting cores is a power of two, so that ticket numbers may wrap
    // around.
    let places = system.cores.next_power_of_two();
    banner(system, "What was chosen of the kernel")
        + "#ifndef KERNEL_CHOICE_H\n#define KERNEL_CHOICE_H\n\n"
        + &format!("#define PLACEMENT PLACEMENT_{placement}\n")
        + &crate::placement::exchange_choice(system)
        + &crate::placement::rtu_choice(system)
        + &format!("#define GRANULARITY GRANULARITY_{granularity}\n")
        + &format!(
            "#define SPINLOCK SPINLOCK_{spinlock}\n#define SPINLOCK_HEADER \"{header}\"\n#define BACKOFF BACKOFF_{backoff}\n"
        )
        + &format!("#define SINGLE_CORE {}\n", u32::from(system.cores == 1))
        + &format!("#define SPINLOCK_PLACES {places}\n#define OWN_TASK OWN_TASK_{own_task}\n")
        + &format!("#define EVENTS {}\n", u32::from(system.kernel.events > 0))
        + &format!("#define REGULATED {}\n", u32::from(system.regulation.is_some()))
        + &format!("#define FRAMES {}\n", u32::from(!system.frames.is_empty()))
        + &rights(system)
        + &format!("#define RESIDENT {}\n", u32::from(crate::caches::possible(system)))
        + &format!("#define PARTITIONS {}\n", u32::from(!system.partitions.is_empty()))
        + &format!("#define RESTARTS {}\n", u32::from(system.has_restarts()))
        + &format!("#define TASK_GUARD {}\n", crate::task_guard(system))
        + &format!("#define RAISES {}\n", u32::from(system.channels.iter().any(|it| it.raises)))
        + &format!("#define PORTS {}\n", u32::from(system.has_ports()))
        + "\n#endif\n"
}

/// The sources in `bench/kernel/variants` that the system's kernel has: what was chosen to be compared
/// with the kernel's own way.
pub fn variants(system: &System) -> Vec<&'static str> {
    let own_task = (system.kernel.own_task != OwnTask::Register).then_some("own_task");
    variant(system.kernel.locking.spinlock).into_iter().chain(own_task).collect()
}

fn variant(spinlock: Spinlock) -> Option<&'static str> {
    match spinlock {
        Spinlock::Ticket => None,
        Spinlock::Tas | Spinlock::Ttas => Some("spinlock_tas"),
        Spinlock::Mcs => Some("spinlock_mcs"),
        Spinlock::K42 => Some("spinlock_k42"),
        Spinlock::Relay => Some("spinlock_relay"),
    }
}

/// The macros that say what of the kernel the description asks for: what it refuses and measures
/// (`kernel/task/rights.h`), holds and suspensions among that, semaphores for their users only,
/// budgets, tasks that may migrate, service routines that interrupt one another; and, of placements
/// other than the distributed one, periodic tasks.
fn rights(system: &System) -> String {
    let limits = system.limits();
    let limit = |is: fn(&Assumption) -> bool| limits.iter().any(|one| is(&one.what));
    let holds =
        |what: &Assumption| matches!(what, Assumption::Hold { .. } | Assumption::Nesting { .. });
    let suspends = |what: &Assumption| matches!(what, Assumption::Suspends { .. });
    let task = |is: fn(&Task) -> bool| system.tasks.iter().any(is);
    let interrupts = &system.interrupts;
    let choices = [
        ("RIGHTS", system.has_deadlines() && system.kernel.placement == Placement::Distributed),
        ("HOLDS", limit(holds)),
        ("CALLS", limit(|what| matches!(what, Assumption::Calls { .. }))),
        ("PERIODS", task(|it| matches!(it.activation, Activation::Periodic { .. }))),
        ("SUSPENSIONS", limit(suspends)),
        ("SEMAPHORE_USERS", task(|it| it.uses.iter().any(|one| one.hold.is_some()))),
        ("BUDGETS", task(|it| it.budget.is_some())),
        ("MIGRATES", task(|it| !it.cores.is_empty())),
        ("ROUTINES_NEST", interrupts.iter().any(|it| it.priority != interrupts[0].priority)),
    ];
    let line = |(name, is): (&str, bool)| {
        format!("#define {name} {}\n", u32::from(is || system.kernel.everything))
    };
    choices.into_iter().map(line).collect()
}

/// The locks of the cores, for the granularities at which objects share them.
pub fn locks(system: &System) -> String {
    if system.kernel.locking.granularity != Granularity::Core || system.cores == 1 {
        return String::new();
    }
    let (mut locks, mut table) = (String::new(), String::new());
    for core in 0..system.cores {
        locks += &format!(
            "static struct spinlock core{core}_lock\n    \
             __attribute__((aligned(64), section(\".bss.core{core}.block\")));\n"
        );
        table += &format!("    &core{core}_lock,\n");
    }
    format!(
        "/* The locks of the cores. */\n{locks}struct spinlock *const takt_core_locks[] = {{\n{table}}};\n\n"
    )
}

/// The initialiser of an object's lock, with a comma before it; empty, unless the object names the
/// core whose lock it shares.
pub fn lock_of(system: &System, index: usize, core: Option<u32>) -> String {
    match system.kernel.locking.granularity {
        Granularity::Core if system.cores > 1 => {
            format!(", .waiters.lock.core = {}", system.home(index, core))
        }
        _ => String::new(),
    }
}
