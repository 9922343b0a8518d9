// SPDX-License-Identifier: Apache-2.0
//! What the description says of locks: `kernel_choice.h` for the compiler, the cores' locks, and
//! which of them an object has; and what else it chooses of the kernel.

use takt_model::{Assumption, Backoff, Granularity, OwnTask, Spinlock, System};

use crate::banner;

/// What `kernel/lock/lock.h` chooses by.
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
    let own_task = match system.kernel.own_task {
        OwnTask::Generic => "GENERIC",
        OwnTask::Fast => "FAST",
        OwnTask::Register => "REGISTER",
    };
    // For the table of who waits: a power of two, so that tickets may wrap around.
    let places = system.cores.next_power_of_two();
    banner(system, "What was chosen of the kernel")
        + "#ifndef KERNEL_CHOICE_H\n#define KERNEL_CHOICE_H\n\n"
        + &format!("#define GRANULARITY GRANULARITY_{granularity}\n")
        + &format!("#define SPINLOCK SPINLOCK_{spinlock}\n#define BACKOFF BACKOFF_{backoff}\n")
        + &format!("#define SPINLOCK_PLACES {places}\n#define OWN_TASK OWN_TASK_{own_task}\n")
        + &format!("#define EVENTS {}\n", u32::from(system.kernel.events > 0))
        + &rights(system)
        + "\n#endif\n"
}

/// What the kernel refuses and measures (`kernel/task/rights.h`), and whether there is a hold among it.
fn rights(system: &System) -> String {
    let holds = system
        .limits()
        .iter()
        .any(|one| matches!(one.what, Assumption::Hold { .. } | Assumption::Nesting { .. }));
    format!(
        "#define RIGHTS {}\n#define HOLDS {}\n",
        u32::from(system.has_deadlines()),
        u32::from(holds)
    )
}

/// The locks of the cores, where objects share these.
pub fn locks(system: &System) -> String {
    if system.kernel.locking.granularity != Granularity::Core {
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

/// The initialiser of an object's lock, with the comma before it: nothing, unless it has to say whose.
pub fn lock_of(system: &System, index: usize, core: Option<u32>) -> String {
    match system.kernel.locking.granularity {
        Granularity::Core => format!(", .waiters.lock.core = {}", system.home(index, core)),
        _ => String::new(),
    }
}
