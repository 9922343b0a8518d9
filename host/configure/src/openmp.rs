// SPDX-License-Identifier: Apache-2.0
//! `takt/openmp_system.h`: the decisions of the manager of parallelism, as the library `openmp`
//! reads them (`libraries/openmp/parmgr.h`).

use takt_model::{Openmp, System, TeamThread};

use crate::banner;

pub fn header(system: &System, openmp: &Openmp) -> String {
    let (mut teams, mut places) = (Vec::new(), Vec::new());
    let mut first_group = 0;
    for (index, team) in openmp.teams.iter().enumerate() {
        let inner = openmp.inner(index).map_or(0, |inner| inner + 1);
        let blocks = team.iter().any(|thread| !thread.spins);
        let (threads, first_place) = (team.len(), places.len());
        teams.push(format!("{{{threads}, {first_place}, {first_group}, {inner}, {blocks}}}"));
        first_group += team.last().map_or(0, |thread| thread.group + 1);
        places.extend(team.iter().map(|thread| place(team, thread)));
    }
    let nameless = openmp.criticals.iter().position(String::is_empty);
    let numbers = [
        ("TEAMS", openmp.teams.len()),
        ("THREADS", places.len()),
        ("GROUPS", first_group as usize),
        ("TASKS", system.tasks.len()),
        ("TREES", usize::from(crate::teams::used(system))),
        ("LEVELS", openmp.levels() as usize),
        ("LOCKS", Openmp::LOCKS as usize),
        ("FIRST_LOCK", openmp.first_lock + 1),
        ("BOUNDED", usize::from(openmp.is_staged())),
        ("CRITICAL", nameless.map_or(0, |place| openmp.first_mutex + place + 1)),
    ];
    let mut text = banner(system, "Teams");
    text += "#ifndef INCLUDE_TAKT_OPENMP_SYSTEM_H\n#define INCLUDE_TAKT_OPENMP_SYSTEM_H\n\n";
    for (name, number) in numbers {
        text += &format!("#define TAKT_OPENMP_{name} {number}\n");
    }
    // The timebase of a board without timing, that is of QEMU's machine, is 10 MHz.
    let timebase = system.board.timing.as_ref().map_or(10_000_000, |timing| timing.timebase);
    text += &format!("#define TAKT_OPENMP_TICK_NS (1e9 / {timebase})\n");
    let it = &openmp.settings;
    let (schedule, max_levels) = (it.schedule as u32, it.max_levels);
    text += "\n/* Threads, chunk, schedule, monotonic, dynamic, active levels. */\n";
    text += &format!(
        "#define TAKT_OPENMP_SETTINGS {{{}, {}, {schedule}, false, {}, {max_levels}}}\n",
        it.threads, it.chunk, it.dynamic
    );
    text += "\n/* Threads, index of the first place, of the first group, of the inner team (from 1), whether one blocks. */\n";
    text += &format!("#define TAKT_OPENMP_TEAM_ROWS {}\n", teams.join(", "));
    let named = openmp.criticals.iter().enumerate().filter(|(_, name)| !name.is_empty());
    let named = named.map(|(place, name)| critical(name, openmp.first_mutex + place + 1));
    text +=
        "\n/* For each name of a declared critical section, the name and the ID of its mutex. */\n";
    text += &format!("#define TAKT_OPENMP_CRITICALS {}\n", named.collect::<String>());
    text += "\n/* Task; group, the numbers of its first thread and behind its last; whether it spins. */\n";
    text + &format!("#define TAKT_OPENMP_PLACES {}\n\n#endif\n", places.join(", \\\n    "))
}

fn critical(name: &str, mutex: usize) -> String {
    format!("PARMGR_CRITICAL({name}, {mutex}) ")
}

fn place(team: &[TeamThread], thread: &TeamThread) -> String {
    let first = team.iter().position(|other| other.group == thread.group).unwrap_or(0);
    let size = team.iter().filter(|other| other.group == thread.group).count();
    let (task, group, end) = (thread.task + 1, thread.group, first + size);
    format!("{{{task}, {group}, {first}, {end}, {}}}", thread.spins)
}
