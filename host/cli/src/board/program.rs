// SPDX-License-Identifier: Apache-2.0
//! Runs any program on the board until the program reports its end.

use std::ops::Range;
use std::path::Path;

use takt_board::boot::load::contents;
use takt_board::boot::{Firmware, Symbol};
use takt_board::devices::{Extra, Finish, Input, Tick};
use takt_board::engine::{BadSnapshot, End, Machine, Mode};
use takt_board::session::{self, STEP, SkipError, StartPoint};
use takt_board::{Setup, Started, start};
use takt_model::{Board, Nanos};

use super::device::DeviceAt;
use super::harts::{self, Traps};
use super::runner::Runner;
use super::{Variation, refused};
use crate::failure::Failure;
use crate::{interrupt, output};

/// A point of a run: where time begins, where warming begins, or where the state is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunPoint {
    Entry,
    Symbol(String),
    At(StartPoint),
    Never,
}

pub struct BootOptions<'a> {
    pub board: &'a Board,
    pub harts: u32,
    pub program: &'a Path,
    pub firmware: Firmware<'a>,
    pub initrd: Option<&'a Path>,
    /// The kernel command line of the started program.
    pub append: &'a str,
    pub devices: &'a [DeviceAt],
    /// A file with the bytes that are typed at the console.
    pub input: Option<&'a Path>,
    pub timed_from: RunPoint,
    /// The point from which on caches and TLBs are warmed, until time begins.
    pub warm_from: RunPoint,
    pub variation: Variation,
    /// The point at which the state is saved; `Never` saves at the time of `until`.
    pub save_at: RunPoint,
    /// Machine time from the reset after which the run is given up.
    pub until: Option<Nanos>,
    /// The port at which takt waits for gdb when time begins.
    pub gdb: Option<u16>,
}

pub struct Program<'a> {
    path: &'a Path,
    gdb: Option<u16>,
    machine: Machine,
    /// What is typed at the console, also after a loaded state.
    input: Vec<u8>,
    symbols: Vec<Symbol>,
    signature: Option<Range<u64>>,
    warm: Option<StartPoint>,
    place: Option<StartPoint>,
    save_at: Option<StartPoint>,
    variation: Variation,
    until: Option<Nanos>,
    traps: Traps,
}

impl<'a> Program<'a> {
    /// Creates the machine, before its first instruction.
    pub fn new(options: &BootOptions<'a>) -> Result<Program<'a>, Failure> {
        let devices: Result<Vec<Extra>, Failure> =
            options.devices.iter().map(|it| it.load(options.board, options.harts)).collect();
        let input = match options.input {
            None => Vec::new(),
            Some(file) => contents(file).map_err(|error| {
                Failure::input(error, "name a file with what is typed at the console")
            })?,
        };
        let Started { machine, symbols, entry, signature } = start(Setup {
            board: options.board,
            harts: options.harts,
            program: options.program,
            firmware: options.firmware,
            initrd: options.initrd,
            arguments: options.append,
            input: vec![Input { at: 0, bytes: input.clone() }],
            devices: devices?,
        })
        .map_err(refused)?;
        let warm = place(&options.warm_from, entry, &symbols)?;
        let place = self::place(&options.timed_from, entry, &symbols)?;
        let save_at = self::place(&options.save_at, entry, &symbols)?;
        let (variation, until) = (options.variation, options.until);
        let traps = Traps::default();
        let (path, gdb) = (options.program, options.gdb);
        Ok(Program {
            path,
            gdb,
            machine,
            input,
            symbols,
            signature,
            warm,
            place,
            save_at,
            variation,
            until,
            traps,
        })
    }

    /// Runs the machine to its end; `console` gets the bytes as they are written.
    pub fn run(&mut self, console: impl FnMut(&[u8])) -> Result<Finish, Failure> {
        let until = self.until.map_or(Tick::MAX, |time| cycles(&self.machine, time));
        self.run_until(until, console)?.ok_or_else(|| {
            let time = Nanos(super::nanos(&self.machine, self.machine.now));
            let message = format!("no end after {time} of machine time");
            failed(&self.machine, &self.symbols, &message, "a longer run needs a larger --until")
        })
    }

    /// Runs the machine to the point of `--save-at`, or else to the time of `--until`, and writes
    /// its state. If the program ends before that, nothing is saved.
    pub fn run_to_save(
        &mut self,
        file: &Path,
        mut console: impl FnMut(&[u8]),
    ) -> Result<Finish, Failure> {
        let until = self.until.map_or(Tick::MAX, |time| cycles(&self.machine, time));
        if until <= self.machine.now {
            let message = "the time of --until is over where the run begins";
            return Err(Failure::input(message, "give --until a later time"));
        }
        let (finish, help) = match self.save_at {
            None => (self.run_until(until, console)?, "give --until an earlier time"),
            Some(place) => {
                let help = "name a place in --save-at that it comes to";
                match self.begin(until, &mut console)? {
                    Reached::End(finish) => (Some(finish), help),
                    _ => match self.go_to(place, until, &mut console)? {
                        Reached::StartPoint => (None, help),
                        Reached::End(finish) => (Some(finish), help),
                        Reached::TimeLimit => {
                            let message = "it has not come to the place of --save-at by --until";
                            return Err(failed(&self.machine, &self.symbols, message, help));
                        }
                    },
                }
            }
        };
        if let Some(finish) = finish {
            eprintln!("takt: the program ended before it could be saved; {help}");
            return Ok(finish);
        }
        output::write(file, self.machine.save())?;
        Ok(Finish::Pass)
    }

    /// Loads a saved state. If time has not begun in that state, time begins at the point that the
    /// options name, if they name one.
    pub fn load(&mut self, file: &Path, functional: bool) -> Result<(), Failure> {
        let bytes = contents(file)
            .map_err(|error| Failure::input(error, "name a file that --save wrote"))?;
        self.machine = self.machine.restore(&bytes).map_err(|bad| {
            let help = match bad {
                BadSnapshot::OtherMachine | BadSnapshot::Device => {
                    "give the same --board, --harts, board file and devices again"
                }
                _ => "name a file that --save of this takt wrote",
            };
            Failure::input(format!("cannot go on from {}: {bad}", file.display()), help)
        })?;
        // Time begins only once, together with the variation of the run.
        let varied = self.variation != Variation::PLAIN || self.place.is_some();
        if self.machine.mode == Mode::Timed && (varied || functional) {
            let message = format!("in {} time has begun already", file.display());
            let help = "leave out --functional, --timed-from, --seed and what varies a run; \
                        --save a state from before";
            return Err(Failure::input(message, help));
        }
        if !self.input.is_empty() {
            self.machine.add_input(&self.input);
        }
        Ok(())
    }

    /// Runs the machine to the point at which time begins, if the options name one.
    fn begin(&mut self, limit: Tick, console: &mut impl FnMut(&[u8])) -> Result<Reached, Failure> {
        // A hart that already stands at a place is not stopped there again, so equal points are
        // reached once.
        let warm = self.warm.filter(|warm| Some(*warm) != self.place);
        if let Some(place) = warm {
            match self.go_to(place, limit, console)? {
                Reached::StartPoint => self.machine.begin_warming(),
                Reached::TimeLimit => return Ok(Reached::TimeLimit),
                Reached::End(finish) => {
                    return Ok(Reached::End(without_time("warming begins (--warm-from)", finish)));
                }
            }
        }
        if let Some(place) = self.place {
            match self.go_to(place, limit, console)? {
                Reached::StartPoint => self.variation.begin(&mut self.machine),
                Reached::TimeLimit => return Ok(Reached::TimeLimit),
                Reached::End(finish) => {
                    return Ok(Reached::End(without_time("time begins (--timed-from)", finish)));
                }
            }
        }
        Ok(Reached::StartPoint)
    }

    /// Runs the machine to its end, or to the time limit, for which it returns None.
    fn run_until(
        &mut self,
        limit: Tick,
        mut console: impl FnMut(&[u8]),
    ) -> Result<Option<Finish>, Failure> {
        match self.begin(limit, &mut console)? {
            Reached::StartPoint => {}
            Reached::TimeLimit => return Ok(None),
            Reached::End(finish) => return Ok(Some(finish)),
        }
        let mut runner = Runner::new(self.gdb, self.path, |text| eprint!("{text}"))?;
        loop {
            if self.machine.now >= limit {
                return Ok(None);
            }
            let until = limit.min(self.machine.now + STEP);
            let end = runner.run(&mut self.machine, until)?;
            console(&std::mem::take(self.machine.world.io.platform.console()));
            match end {
                End::Until => check_progress(&self.machine, &self.symbols, &mut self.traps)?,
                End::Finished(finish) => {
                    runner.finish(if let Finish::Fail(code) = finish { code } else { 0 });
                    return Ok(Some(finish));
                }
                end => return self.ended(end).map(Some),
            }
        }
    }

    /// Runs the machine without time until it reaches the place, the time limit or its end,
    /// whichever comes first.
    fn go_to(
        &mut self,
        place: StartPoint,
        limit: Tick,
        console: &mut impl FnMut(&[u8]),
    ) -> Result<Reached, Failure> {
        let mut failure = None;
        let (traps, symbols) = (&mut self.traps, &self.symbols);
        let there = session::skip(&mut self.machine, place, limit, |machine| {
            console(&std::mem::take(machine.world.io.platform.console()));
            failure = check_progress(machine, symbols, traps).err();
            failure.is_none()
        });
        match there {
            Ok(()) => Ok(Reached::StartPoint),
            Err(SkipError::End(end)) => self.ended(end).map(Reached::End),
            Err(SkipError::Moment) => Ok(Reached::TimeLimit),
            Err(SkipError::Stopped) => Err(failure.unwrap_or_else(Failure::interrupted)),
        }
    }

    /// The words of the memory between the symbols `begin_signature` and `end_signature`, four
    /// bytes each.
    pub fn signature(&self) -> Result<Vec<u32>, Failure> {
        let range = self.signature.clone().unwrap_or(0..0);
        let count = range.end.saturating_sub(range.start);
        let ram = &self.machine.world.fabric.ram;
        let Some(offset) = ram.offset(range.start, count).filter(|_| count > 0) else {
            let help = "riscv-arch-test's programs mark it by begin_signature and end_signature";
            return Err(Failure::input("the program has no signature in RAM", help));
        };
        let words = ram.slice(offset, count).chunks(4);
        Ok(words
            .map(|word| word.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
            .collect())
    }

    fn ended(&self, end: End) -> Result<Finish, Failure> {
        match end {
            End::Finished(finish) => Ok(finish),
            End::Spinning => {
                let place = |address| name(&self.symbols, address);
                let failure = Failure::tool(harts::SPINNING, harts::SPINNING_HELP);
                Err(failure.with_details(harts::spinning(&self.machine, place)))
            }
            _ => Err(failed(
                &self.machine,
                &self.symbols,
                "every hart waits, and nothing is to come",
                "the program has lost a wake-up, or takes WFI for its end",
            )),
        }
    }
}

/// What ended a run towards a place.
enum Reached {
    StartPoint,
    TimeLimit,
    End(Finish),
}

fn place(from: &RunPoint, entry: u64, symbols: &[Symbol]) -> Result<Option<StartPoint>, Failure> {
    Ok(match from {
        RunPoint::Never => None,
        RunPoint::Entry => Some(StartPoint::Address(entry)),
        RunPoint::At(place) => Some(*place),
        RunPoint::Symbol(name) => Some(StartPoint::Address(address(symbols, name)?)),
    })
}

/// The first cycle at which this much machine time has passed.
fn cycles(machine: &Machine, Nanos(nanos): Nanos) -> Tick {
    let frequency = u128::from(machine.world.timing.frequency);
    (u128::from(nanos) * frequency).div_ceil(1_000_000_000).min(Tick::MAX.into()) as Tick
}

/// Checks that the machine may run on.
fn check_progress(machine: &Machine, symbols: &[Symbol], traps: &mut Traps) -> Result<(), Failure> {
    if interrupt::requested() {
        let place = |address| name(symbols, address);
        return Err(Failure::interrupted().with_details(harts::describe(machine, place)));
    }
    if let Some(hart) = traps.first_stuck(machine) {
        let message = format!("hart {} traps for ever", machine.units[hart].hart.id);
        let help = "it jumped to no code, or its trap vector leads to none: see mtvec and stvec";
        let failure = failed(machine, symbols, &message, help);
        let place = |address| name(symbols, address);
        let details = failure.details.clone() + &harts::traps(&machine.units[hart].hart, place);
        return Err(failure.with_details(details));
    }
    Ok(())
}

/// Warns that the program ended before it reached the point, and passes its end on.
fn without_time(place: &str, finish: Finish) -> Finish {
    eprintln!("takt: the program ended before it came to where {place}: none of it was timed");
    finish
}

fn failed(machine: &Machine, symbols: &[Symbol], message: &str, help: &str) -> Failure {
    let place = |address| name(symbols, address);
    Failure::tool(message, help).with_details(harts::describe(machine, place))
}

/// The symbol before an address and the offset from it, as `name+0x14`.
fn name(symbols: &[Symbol], address: u64) -> Option<String> {
    let after = symbols.partition_point(|symbol| symbol.address <= address);
    let symbol = symbols.get(after.checked_sub(1)?)?;
    let offset = address - symbol.address;
    (offset < 1 << 20).then(|| format!("{}+{offset:#x}", symbol.name))
}

fn address(symbols: &[Symbol], name: &str) -> Result<u64, Failure> {
    let found = symbols.iter().find(|symbol| symbol.name == name);
    found.map(|symbol| symbol.address).ok_or_else(|| {
        let help = "name a symbol of the program, an address such as 0x80000000, or a number of \
                    instructions";
        Failure::input(format!("the program has no symbol `{name}`"), help)
    })
}
