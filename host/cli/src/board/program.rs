// SPDX-License-Identifier: Apache-2.0
//! Any program on the board, until it says that it is at its end.

use std::ops::Range;
use std::path::Path;

use takt_board::boot::load::contents;
use takt_board::boot::{Firmware, Symbol};
use takt_board::devices::{Extra, Finish, Input, Tick};
use takt_board::engine::{BadSnapshot, End, Machine, Mode};
use takt_board::session::{self, NotThere, Place, STEP};
use takt_board::{Setup, Started, start};
use takt_model::{Board, Nanos};

use super::device::DeviceAt;
use super::harts::{self, Traps};
use super::runner::Runner;
use super::{Variation, refused};
use crate::failure::Failure;
use crate::{interrupt, output};

/// Where time begins, or warming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedFrom {
    Entry,
    Symbol(String),
    Place(Place),
    Never,
}

pub struct Setting<'a> {
    pub board: &'a Board,
    pub harts: u32,
    pub program: &'a Path,
    pub firmware: Firmware<'a>,
    pub initrd: Option<&'a Path>,
    /// Boot arguments.
    pub append: &'a str,
    pub devices: &'a [DeviceAt],
    /// What is typed at the console.
    pub input: Option<&'a Path>,
    pub timed_from: TimedFrom,
    /// From here to there caches and TLBs are warmed.
    pub warm_from: TimedFrom,
    pub variation: Variation,
    /// Where a state is saved; Never: at the time of `until`.
    pub save_at: TimedFrom,
    /// Machine time from the reset after which it is given up.
    pub until: Option<Nanos>,
    /// The port at which gdb is waited for, where time begins.
    pub gdb: Option<u16>,
}

pub struct Program<'a> {
    path: &'a Path,
    gdb: Option<u16>,
    machine: Machine,
    symbols: Vec<Symbol>,
    signature: Option<Range<u64>>,
    warm: Option<Place>,
    place: Option<Place>,
    save_at: Option<Place>,
    variation: Variation,
    until: Option<Nanos>,
    traps: Traps,
}

impl<'a> Program<'a> {
    /// The machine, before its first instruction.
    pub fn new(setting: &Setting<'a>) -> Result<Program<'a>, Failure> {
        let devices: Result<Vec<Extra>, Failure> =
            setting.devices.iter().map(DeviceAt::load).collect();
        let input = match setting.input {
            None => Vec::new(),
            Some(file) => {
                let bytes = contents(file).map_err(|error| {
                    Failure::input(error, "name a file with what is typed at the console")
                })?;
                vec![Input { at: 0, bytes }]
            }
        };
        let Started { machine, symbols, entry, signature } = start(Setup {
            board: setting.board,
            harts: setting.harts,
            program: setting.program,
            firmware: setting.firmware,
            initrd: setting.initrd,
            arguments: setting.append,
            input,
            devices: devices?,
        })
        .map_err(refused)?;
        let warm = place(&setting.warm_from, entry, &symbols)?;
        let place = self::place(&setting.timed_from, entry, &symbols)?;
        let save_at = self::place(&setting.save_at, entry, &symbols)?;
        let (variation, until) = (setting.variation, setting.until);
        let traps = Traps::default();
        let (path, gdb) = (setting.program, setting.gdb);
        Ok(Program {
            path,
            gdb,
            machine,
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

    /// Runs it to its end; `console` gets the bytes as they come.
    pub fn run(&mut self, console: impl FnMut(&[u8])) -> Result<Finish, Failure> {
        let until = self.until.map_or(Tick::MAX, |time| cycles(&self.machine, time));
        self.run_until(until, console)?.ok_or_else(|| {
            let time = Nanos(super::nanos(&self.machine, self.machine.now));
            let message = format!("no end after {time} of machine time");
            failed(&self.machine, &self.symbols, &message, "a longer run needs a larger --until")
        })
    }

    /// Runs it to the place at which it is to be saved, or until the time at which it would be given up, and writes its
    /// state; or to an earlier end.
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
                    Way::End(finish) => (Some(finish), help),
                    _ => match self.go_to(place, until, &mut console)? {
                        Way::There => (None, help),
                        Way::End(finish) => (Some(finish), help),
                        Way::Moment => {
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

    /// Puts the machine into a state that was saved. If time has not begun there, it begins at the place
    /// of the setting, if there is one.
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
        // Time begins once, with what varies it.
        let varied = self.variation != Variation::PLAIN || self.place.is_some();
        if self.machine.mode == Mode::Timed && (varied || functional) {
            let message = format!("in {} time has begun already", file.display());
            let help = "leave out --functional, --timed-from, --seed and what varies a run; \
                        --save a state from before";
            return Err(Failure::input(message, help));
        }
        Ok(())
    }

    /// Runs it to where time begins, if it does.
    fn begin(&mut self, moment: Tick, console: &mut impl FnMut(&[u8])) -> Result<Way, Failure> {
        // Who stands at a place is not stopped there again.
        let warm = self.warm.filter(|warm| Some(*warm) != self.place);
        if let Some(place) = warm {
            match self.go_to(place, moment, console)? {
                Way::There => self.machine.begin_warming(),
                Way::Moment => return Ok(Way::Moment),
                Way::End(finish) => {
                    return Ok(Way::End(without_time("warming begins (--warm-from)", finish)));
                }
            }
        }
        if let Some(place) = self.place {
            match self.go_to(place, moment, console)? {
                Way::There => self.variation.begin(&mut self.machine),
                Way::Moment => return Ok(Way::Moment),
                Way::End(finish) => {
                    return Ok(Way::End(without_time("time begins (--timed-from)", finish)));
                }
            }
        }
        Ok(Way::There)
    }

    /// Runs it to its end, or to the moment.
    fn run_until(
        &mut self,
        moment: Tick,
        mut console: impl FnMut(&[u8]),
    ) -> Result<Option<Finish>, Failure> {
        match self.begin(moment, &mut console)? {
            Way::There => {}
            Way::Moment => return Ok(None),
            Way::End(finish) => return Ok(Some(finish)),
        }
        let mut runner = Runner::new(self.gdb, self.path, |text| eprint!("{text}"))?;
        loop {
            if self.machine.now >= moment {
                return Ok(None);
            }
            let until = moment.min(self.machine.now + STEP);
            let end = runner.run(&mut self.machine, until)?;
            console(&std::mem::take(self.machine.world.platform.console()));
            match end {
                End::Until => look(&self.machine, &self.symbols, &mut self.traps)?,
                End::Finished(finish) => {
                    runner.finish(if let Finish::Fail(code) = finish { code } else { 0 });
                    return Ok(Some(finish));
                }
                end => return self.ended(end).map(Some),
            }
        }
    }

    /// Runs it without time to the place, or to what comes first.
    fn go_to(
        &mut self,
        place: Place,
        moment: Tick,
        console: &mut impl FnMut(&[u8]),
    ) -> Result<Way, Failure> {
        let mut failure = None;
        let (traps, symbols) = (&mut self.traps, &self.symbols);
        let there = session::skip(&mut self.machine, place, moment, |machine| {
            console(&std::mem::take(machine.world.platform.console()));
            failure = look(machine, symbols, traps).err();
            failure.is_none()
        });
        match there {
            Ok(()) => Ok(Way::There),
            Err(NotThere::End(end)) => self.ended(end).map(Way::End),
            Err(NotThere::Moment) => Ok(Way::Moment),
            Err(NotThere::Stopped) => Err(failure.unwrap_or_else(Failure::interrupted)),
        }
    }

    /// The words between `begin_signature` and `end_signature`, four bytes each.
    pub fn signature(&self) -> Result<Vec<u32>, Failure> {
        let range = self.signature.clone().unwrap_or(0..0);
        let count = range.end.saturating_sub(range.start);
        let ram = &self.machine.world.ram;
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

/// Where the way to a place ended.
enum Way {
    There,
    Moment,
    End(Finish),
}

fn place(from: &TimedFrom, entry: u64, symbols: &[Symbol]) -> Result<Option<Place>, Failure> {
    Ok(match from {
        TimedFrom::Never => None,
        TimedFrom::Entry => Some(Place::Address(entry)),
        TimedFrom::Place(place) => Some(*place),
        TimedFrom::Symbol(name) => Some(Place::Address(address(symbols, name)?)),
    })
}

/// The first cycle at which so much machine time is over.
fn cycles(machine: &Machine, Nanos(nanos): Nanos) -> Tick {
    let frequency = u128::from(machine.world.timing.frequency);
    (u128::from(nanos) * frequency).div_ceil(1_000_000_000).min(Tick::MAX.into()) as Tick
}

/// Whether the machine may run on.
fn look(machine: &Machine, symbols: &[Symbol], traps: &mut Traps) -> Result<(), Failure> {
    if interrupt::requested() {
        let place = |address| name(symbols, address);
        return Err(Failure::interrupted().with_details(harts::describe(machine, place)));
    }
    if let Some(hart) = traps.look(machine) {
        let message = format!("hart {} traps for ever", machine.units[hart].hart.id);
        let help = "it jumped to no code, or its trap vector leads to none: see mtvec and stvec";
        let failure = failed(machine, symbols, &message, help);
        let place = |address| name(symbols, address);
        let told = failure.details.clone() + &harts::traps(&machine.units[hart].hart, place);
        return Err(failure.with_details(told));
    }
    Ok(())
}

/// Says what was not reached.
fn without_time(place: &str, finish: Finish) -> Finish {
    eprintln!("takt: the program ended before it came to where {place}: none of it was timed");
    finish
}

fn failed(machine: &Machine, symbols: &[Symbol], message: &str, help: &str) -> Failure {
    let place = |address| name(symbols, address);
    Failure::tool(message, help).with_details(harts::describe(machine, place))
}

/// The symbol that an address lies behind, as `name+0x14`.
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
