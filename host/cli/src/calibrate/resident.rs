// SPDX-License-Identifier: Apache-2.0
//! Measures what the kernel costs on a core whose second-level cache keeps all that the core touches, beside neighbours that
//! store in streams: `docs/design/residency.md`, `docs/design/calibration.md`.

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::Path;

use rayon::prelude::*;
use takt_board::engine::{Machine, Order};
use takt_configure::residency;
use takt_model::timing::Cache;
use takt_model::{Board, KernelPath, Measured, MemoryLoad, Overheads, System, Timing};

use super::probe::{Longest, Probe};
use super::probe_points::ProbePoints;
use super::system::{self, COLD, PERIOD, PERIODIC, RUN, STOPPED, TIMERS};
use super::{epoch, none_refused, table_of, without_margins};
use crate::analysed_system::AnalysedSystem;
use crate::board::Variation;
use crate::board::image_run::{self, RunOptions};
use crate::build::{self, Compiler};
use crate::failure::Failure;
use crate::image::Image;
use crate::progress::Progress;
use crate::residency::footprint;
use crate::{home, interrupt};

/// The cores of the measured system, at most: those that are measured meet nobody.
const CORES: u32 = 4;

/// The paths of the kernel that bench/calibrate/resident_alone.c runs.
const EXERCISED_ALONE: [KernelPath; 7] = [
    KernelPath::Budget,
    KernelPath::DeadlineHandler,
    KernelPath::Cyclic,
    KernelPath::FloatingPoint,
    KernelPath::CpuLock,
    KernelPath::DispatchDisable,
    KernelPath::Buffer,
];
/// The paths that bench/calibrate/resident_requests.c runs besides.
const EXERCISED_BY_REQUESTS: [KernelPath; 8] = [
    KernelPath::LocalRequests,
    KernelPath::Mutex,
    KernelPath::NestedMutex,
    KernelPath::Alarm,
    KernelPath::Flag,
    KernelPath::DataQueue,
    KernelPath::PriorityDataQueue,
    KernelPath::MemoryPool,
];

/// The path that bench/calibrate/resident_between.c runs besides.
const EXERCISED_BETWEEN: [KernelPath; 1] = [KernelPath::RemoteActivations];

/// A program of the measurement. There are several, as the caches of some boards have no room for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    /// Tasks do not wait: bench/calibrate/resident_alone.c.
    Alone,
    /// Tasks wait for others of their core: bench/calibrate/resident_requests.c.
    Requests,
    /// Tasks activate tasks of another core: bench/calibrate/resident_between.c.
    Between,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Program::Alone => "alone",
            Program::Requests => "requests",
            Program::Between => "between",
        }
    }

    fn sources(self) -> &'static [&'static str] {
        match self {
            Program::Alone => &["resident.c", "resident_alone.c"],
            Program::Requests => &["resident.c", "resident_requests.c"],
            Program::Between => &["resident.c", "resident_between.c"],
        }
    }

    /// The tasks of a core that is measured: name, entry, priority, and further keys.
    fn tasks(self) -> &'static [(&'static str, &'static str, u32, &'static str)] {
        match self {
            Program::Alone => &TASKS_ALONE,
            Program::Requests => &TASKS_WITH_REQUESTS,
            Program::Between => &TASKS_BETWEEN,
        }
    }

    /// The stack of each task; the default where there is room.
    fn stack(self) -> &'static str {
        match self {
            Program::Alone => "",
            Program::Requests | Program::Between => "stack = \"4KiB\"\n",
        }
    }

    /// The timers that run at the same time: those of the tasks' releases and deadlines, of two delays and a wait with a
    /// timeout, and of the cyclic handler that is called.
    fn timers(self) -> u32 {
        match self {
            Program::Alone => 7,
            Program::Requests => 5,
            Program::Between => 6,
        }
    }

    /// The distance of the cores that are measured.
    fn step(self) -> usize {
        match self {
            Program::Alone | Program::Requests => 2,
            Program::Between => 1,
        }
    }
}

const TASKS_ALONE: [(&str, &str, u32, &str); 5] = [
    ("first", "first_step", 1, PERIODIC),
    ("second", "second_step", 2, SECOND),
    ("third", "third_step", 3, PERIODIC),
    ("stopped", "stopped_step", 59, STOPPED),
    ("still", "still_step", 60, STILL),
];
const TASKS_BETWEEN: [(&str, &str, u32, &str); 4] = [
    ("asker", "asker_step", 4, ASKER),
    ("activated", "activated_step", 5, ACTIVATED),
    ("stopped", "stopped_step", 59, STOPPED),
    ("still", "still_step", 60, STILL),
];
const TASKS_WITH_REQUESTS: [(&str, &str, u32, &str); 9] = [
    ("third", "third_step", 3, PERIODIC),
    ("sleeper", "sleeper_job", 4, WAITS),
    ("near", "near_job", 5, WAITS),
    ("activated", "activated_job", 7, ""),
    ("rival", "rival_job", 8, WAITS),
    ("taker", "taker_job", 10, WAITS),
    ("giver", "giver_job", 11, WAITS),
    ("holder", "holder_job", 12, WAITS),
    ("still", "still_step", 60, STILL),
];
const STILL: &str = "period = \"2s\"\noffset = \"2100us\"\nwcet = \"1s\"\n";
const SECOND: &str =
    "period = \"2100us\"\nwcet = \"1ms\"\ncpu_lock = \"1us\"\ndispatch_disable = \"1us\"\n";
const ASKER: &str = "period = \"173us\"\nwcet = \"100us\"\n";
const ACTIVATED: &str = "separation = \"61us\"\nwcet = \"10us\"\nqueue = 1\n";
const WAITS: &str = "start = true\nsuspends = \"1s\"\n";
/// The semaphore for which the task `asleep` waits.
const NEVER: &str = "[[semaphore]]\nname = \"never\"\n";
/// What the tasks of a core that is measured share: class, name, and further keys.
const OBJECTS: [(&str, &str, &str); 8] = [
    ("semaphore", "near", ""),
    ("mutex", "outer", "protocol = \"inherit\"\n"),
    ("mutex", "inner", "protocol = \"inherit\"\n"),
    ("mutex", "ceiling", "protocol = \"ceiling\"\n"),
    ("flag", "flag", "clear = true\n"),
    ("data_queue", "queue", "capacity = 1\n"),
    ("priority_data_queue", "sorted", "capacity = 1\npriorities = 1\n"),
    ("memory_pool", "pool", "blocks = 1\nsize = \"64B\"\n"),
];

/// The time in nanoseconds from which no measured core asks for anything.
const WARM: u64 = 2 * PERIOD + PERIOD / 2;

/// Measures the overheads on resident cores: without requests, with requests within a core, and with activations between cores;
/// none where no core of the board can be resident, or not all alike, and the first of these where the caches have no room.
pub fn measure(
    board: &Board,
    timing: &Timing,
    seeds: RangeInclusive<u64>,
) -> Result<Vec<Overheads>, Failure> {
    let cores = board.kernel_cores().min(CORES);
    let (mut longest, mut tables) = (Longest::default(), Vec::new());
    if cores < 2 || !timing.kinds.is_empty() || timing.device_links {
        return Ok(tables);
    }
    let with_requests = [&EXERCISED_ALONE[..], &EXERCISED_BY_REQUESTS].concat();
    // The console's core is measured in the first system, a device's interrupt in the others. A system with requests takes all
    // paths of one without, so its figures are the maxima of all.
    let alone: &[_] = &[(Program::Alone, 0), (Program::Alone, 1)];
    let between = [&with_requests[..], &EXERCISED_BETWEEN].concat();
    for (systems, paths) in [
        (alone, EXERCISED_ALONE.to_vec()),
        (&[(Program::Requests, 0)], with_requests),
        (&[(Program::Between, 0)], between),
    ] {
        for &(program, parity) in systems {
            match (Setup { board, timing, cores, program, parity }).measure(seeds.clone())? {
                Some(more) => longest = longest.and(&more),
                None => return Ok(tables),
            }
        }
        if let missing @ [_, ..] = &longest.missing(&paths)[..] {
            let missing = missing.join(", ");
            return Err(does_not_fit(format!("not all paths of the kernel were run: {missing}")));
        }
        tables.push(table_of(conditions(cores, paths), timing, &longest));
    }
    Ok(tables)
}

fn does_not_fit(message: String) -> Failure {
    Failure::tool(message, "the calibration of resident cores does not fit this kernel")
}

fn conditions(cores: u32, paths: Vec<KernelPath>) -> Measured {
    Measured {
        cores_per_lock: 1,
        load: vec![MemoryLoad::Writers],
        paths: Some(paths),
        ..system::conditions(cores)
    }
}

/// A board whose first-level caches are never found to have anything: each access that they serve takes as long as one that
/// the second-level cache serves. So the figures hold wherever in memory code and data lie.
fn without_first_level(board: &Board) -> Board {
    let mut board = board.clone();
    if let Some(timing) = &mut board.timing {
        let more = timing.l2.as_ref().map_or(0, |l2: &Cache| l2.hit);
        timing.l1i.hit += more;
        timing.l1d.hit += more;
    }
    board
}

/// A system in which every second core is measured, and the others load the memory; or every core is.
struct Setup<'a> {
    board: &'a Board,
    timing: &'a Timing,
    cores: u32,
    program: Program,
    /// The first core that is measured.
    parity: u32,
}

impl Setup<'_> {
    /// The longest times; None where a core that is to be measured cannot be resident.
    fn measure(&self, seeds: RangeInclusive<u64>) -> Result<Option<Longest>, Failure> {
        let home = home::find()?;
        let name = format!(
            "calibrate-{}-resident-{}-{}",
            self.board.name,
            self.program.name(),
            self.parity
        );
        let folder = home.join("build").join(name);
        self.write(&folder, &home)
            .map_err(|error| Failure::io(format!("write {}", folder.display()), error))?;
        let file = folder.join("system.toml");
        let mut analysed = AnalysedSystem::read_on(&file, Some(&self.board.file))?;
        without_margins(&mut analysed.system.board.overheads);
        analysed.system.kernel.everything = true;
        if self.measured().any(|core| residency::cache_of(&analysed.system, core).is_err()) {
            return Ok(None);
        }
        let image = Image::read(&build::image(&analysed, Compiler::Gcc)?)?;
        for core in self.measured() {
            let found = footprint(&analysed.system, &analysed.assignments, &image, core);
            if !found.is_ok_and(|it| it.is_resident()) {
                return Ok(None);
            }
        }
        let entries: Vec<_> = self.program.tasks().iter().map(|(_, entry, ..)| *entry).collect();
        let points = ProbePoints::read(&image, &entries, true).map_err(does_not_fit)?;
        interrupt::catch()?;
        let board = without_first_level(self.board);
        let progress = Progress::runs(seeds.clone().count() as u64);
        let one = |seed| {
            let longest = self.run(seed, &board, &analysed.system, &image, &points);
            progress.one_more();
            longest
        };
        let all: Result<Vec<Longest>, Failure> = seeds.into_par_iter().map(one).collect();
        progress.done();
        Ok(Some(all?.iter().fold(Longest::default(), Longest::and)))
    }

    fn measured(&self) -> impl Iterator<Item = u32> {
        (self.parity..self.cores).step_by(self.program.step())
    }

    fn neighbours(&self) -> impl Iterator<Item = u32> {
        let measured: Vec<_> = self.measured().collect();
        (0..self.cores).filter(move |core| !measured.contains(core))
    }

    /// The number of a core among those that are measured.
    fn number(&self, core: u32) -> u32 {
        core / self.program.step() as u32
    }

    /// The bytes that a neighbour writes, again and again: more than its caches hold.
    fn ground(&self) -> u64 {
        2 * self.timing.l2.as_ref().map_or(0, |l2| l2.size) / 4096 * 4096
    }

    fn write(&self, folder: &Path, home: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let (speaker, raiser) = match (self.program, self.parity) {
            (Program::Alone, 0) => (0, -1),
            (Program::Alone, _) => (-1, 0),
            (Program::Requests, parity) => (-1, 1 - parity as i32),
            (Program::Between, _) => (-1, -1),
        };
        let header = format!(
            "/* SPDX-License-Identifier: Apache-2.0 */\n#pragma once\n#define GROUND {}\n#define PERIOD {PERIOD}\n\
             #define COLD {COLD}\n#define SPEAKER {speaker}\n#define RAISER {raiser}\n#define FIRST {}\n\
             #define TASKS {}\n#define STEP {}\n#define CORES {}\n{}",
            self.ground(),
            self.parity,
            self.program.tasks().len(),
            self.program.step(),
            self.cores,
            system::paths(),
        );
        std::fs::write(folder.join("calibrate.h"), header)?;
        std::fs::write(folder.join("system.toml"), self.description(home))
    }

    fn description(&self, home: &Path) -> String {
        let Setup { board, cores, parity, .. } = self;
        let include = home.join("bench/calibrate");
        let sources: Vec<_> =
            self.program.sources().iter().map(|file| include.join(file)).collect();
        let last = self.measured().last().unwrap_or_default();
        let mut text = format!(
            "format = 1\n[system]\nname = \"calibrate\"\nboard = \"{}\"\ncores = {cores}\n\
             sources = {sources:?}\ninclude = [\".\", {include:?}]\n[kernel]\nevents = 64\nconsole = \"512B\"\n{}\
             [[interrupt]]\nname = \"device\"\ndevice = \"/soc/serial@10000000\"\nentry = \"on_device\"\n\
             argument = {last}\ncore = {last}\npriority = 1\n",
            board.name,
            match self.program {
                Program::Alone | Program::Between => String::new(),
                // The console's core looks into the others' memory.
                Program::Requests => format!("console_core = {}\n", 1 - parity),
            }
        );
        text += &match self.program {
            Program::Alone => NEVER.to_string() + &self.buffers(),
            Program::Between => NEVER.to_string(),
            Program::Requests => self.objects(),
        };
        for core in self.measured() {
            let _ = write!(
                text,
                "[[cyclic]]\nname = \"cyclic_{core}\"\nfunction = \"on_cyclic\"\nargument = {core}\n\
                 core = {core}\nperiod = \"{PERIOD}ns\"\nwcet = \"1us\"\nstart = true\n"
            );
            for index in 0..TIMERS - self.program.timers() {
                let _ = write!(
                    text,
                    "[[cyclic]]\nname = \"parked_{core}_{index}\"\nfunction = \"parked\"\ncore = {core}\n\
                     period = \"2s\"\noffset = \"{}ms\"\nwcet = \"1us\"\nstart = true\n",
                    1000 + index
                );
            }
            for (name, entry, priority, more) in self.program.tasks() {
                let more = more.to_string() + self.program.stack() + &held(name, self.number(core));
                text += &task(&format!("{name}_{core}"), entry, core, *priority, &more);
            }
        }
        let more = format!("start = true\nstack = \"{}KiB\"\n", self.ground() / 1024 + 16);
        for core in self.neighbours() {
            text += &task(&format!("neighbour_{core}"), "neighbour_job", core, 60, &more);
        }
        match self.program {
            Program::Alone => {
                text + &task("asleep", "asleep_job", 1 - parity, 50, "suspends = \"1s\"\n")
            }
            Program::Requests => text,
            Program::Between => {
                let more = self.program.stack().to_string() + "start = true\nsuspends = \"1s\"\n";
                text + &task("asleep", "asleep_job", 0, 50, &more)
            }
        }
    }

    /// A buffer on each core that is measured.
    fn buffers(&self) -> String {
        let mut text = String::new();
        for core in self.measured() {
            let _ = write!(
                text,
                "[[buffer]]\nname = \"buffer_{}\"\nsize = \"64B\"\nwriter = \"first_{core}\"\n\
                 readers = [\"second_{core}\"]\n",
                self.number(core)
            );
        }
        text
    }

    /// What the tasks of each core that is measured share, and their alarm. The objects of one name have IDs that follow one
    /// another, as the program counts on.
    fn objects(&self) -> String {
        let mut text = String::new();
        for (class, name, keys) in OBJECTS {
            for core in self.measured() {
                // The users of a mutex say where it is.
                let home =
                    if class == "mutex" { String::new() } else { format!("core = {core}\n") };
                let number = self.number(core);
                let _ = write!(text, "[[{class}]]\nname = \"{name}_{number}\"\n{home}{keys}");
            }
        }
        for core in self.measured() {
            let _ = write!(
                text,
                "[[alarm]]\nname = \"alarm_{}\"\nfunction = \"on_alarm\"\nargument = {core}\ncore = {core}\n\
                 separation = \"100us\"\nwcet = \"1us\"\n",
                self.number(core)
            );
        }
        text
    }

    fn run(
        &self,
        seed: u64,
        board: &Board,
        system: &System,
        image: &Image,
        points: &ProbePoints,
    ) -> Result<Longest, Failure> {
        let mut machine = self.at_time_0(seed, board, system, image)?;
        let harts: Vec<_> = self.measured().map(|core| core as usize).collect();
        let timebase = u128::from(machine.world.timing.timebase);
        let begin = epoch(&machine, image);
        let tick_of = |machine: &Machine, nanos: u64| {
            let after = (u128::from(nanos) * timebase / 1_000_000_000) as u64;
            machine.world.tick_of(begin + after)
        };
        // By then the console's core has looked into the others' rings, and each slot of a buffer has been written.
        // TLBs have been emptied: entries of page tables that a neighbour has changed for the device are fetched again.
        let (from, end) = (tick_of(&machine, WARM), tick_of(&machine, RUN));
        machine.run(tick_of(&machine, WARM - PERIOD));
        Probe::resident(points, &machine, harts.clone()).run(&mut machine, from);
        let requests = |machine: &Machine, hart: usize| machine.units[hart].core.requests;
        let before: Vec<_> = harts.iter().map(|hart| requests(&machine, *hart)).collect();
        let mut probe = Probe::resident(points, &machine, harts.clone());
        while machine.now < end {
            let until = (machine.now + 1_000_000).min(end);
            probe.run(&mut machine, until);
            if interrupt::requested() {
                return Err(Failure::interrupted());
            }
        }
        for (hart, before) in harts.iter().zip(&before) {
            let asked = requests(&machine, *hart) - before;
            if asked > 0 && self.program != Program::Between {
                let message = format!("core {hart} asked {asked} times beyond its own cache");
                return Err(does_not_fit(message));
            }
        }
        none_refused(&machine, system, image)?;
        Ok(probe.longest())
    }

    /// The machine when its kernel has begun. It runs with time from the kernel's first instruction on: what the boot loads
    /// shall be in the caches.
    fn at_time_0(
        &self,
        seed: u64,
        board: &Board,
        system: &System,
        image: &Image,
    ) -> Result<Machine, Failure> {
        let options = RunOptions {
            board,
            harts: system.cores,
            image,
            events: system.kernel.events,
            run_for: None,
            budget: None,
            order: Order::Ahead,
            gdb: None,
            rtu: None,
            output: None,
            unwritten: Default::default(),
        };
        let mut machine = image_run::boot(&options)?.machine();
        let variation =
            Variation { seed, jitter: Variation::JITTER, skew_seed: seed, skew: Variation::SKEW };
        variation.begin(&mut machine);
        let end = machine.now + super::BOOT;
        while epoch(&machine, image) == 0 {
            machine.run(machine.now + self.timing.frequency / 10_000);
            if interrupt::requested() {
                return Err(Failure::interrupted());
            }
            if machine.now > end {
                return Err(does_not_fit("the calibration's kernel did not start".to_string()));
            }
        }
        machine.run(machine.world.tick_of(epoch(&machine, image)));
        Ok(machine)
    }
}

/// The mutexes that a task locks, of those with this number.
fn held(task: &str, number: u32) -> String {
    let inner = match task {
        "holder" => format!(
            "{{ mutex = \"inner_{number}\", hold = \"1us\", inside = [\"outer_{number}\"] }}, "
        ),
        "rival" => String::new(),
        _ => return String::new(),
    };
    format!(
        "uses = [{{ mutex = \"outer_{number}\", hold = \"1us\" }}, {inner}\
         {{ mutex = \"ceiling_{number}\", hold = \"1us\" }}]\n"
    )
}

fn task(name: &str, entry: &str, core: u32, priority: u32, more: &str) -> String {
    format!(
        "[[task]]\nname = \"{name}\"\nentry = \"{entry}\"\nargument = {core}\ncore = {core}\n\
         priority = {priority}\n{more}"
    )
}
