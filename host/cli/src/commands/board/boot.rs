// SPDX-License-Identifier: Apache-2.0
//! Implements `takt board boot`, for programs that are not systems of Polytakt.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use takt_board::boot::Firmware;
use takt_board::devices::Finish;
use takt_board::session::StartPoint;
use takt_model::Nanos;

use crate::board::device::DeviceAt;
use crate::board::program::{BootOptions, Program, RunPoint};
use crate::commands::run::duration;
use crate::commands::vary::VariationOptions;
use crate::failure::Failure;
use crate::{boards, firmware, interrupt, output};

/// Boot an ELF file or a raw binary, and stream its console
///
/// The firmware runs without time, the program with it. The run ends when the program writes to the
/// test finisher or to tohost, or shuts down by SBI. Exit status 0 when the program reports
/// success, 1 when it reports failure.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt board boot kernel.elf --board tile72 --harts 4 --append 'console=ttyS0'
  takt board boot test.elf --board virt --harts 1 --bios none --signature test.signature
  takt board boot linux.bin --board virt --initrd disk.gz --timed-from 2000000000
  takt board boot kernel.elf --board tile72 --until 80ms --save at-80ms
  takt board boot linux.bin --board virt --save-at 0x10078 --save at-main
  takt board boot kernel.elf --board tile72 --load at-80ms")]
pub struct Arguments {
    /// The program
    program: PathBuf,
    /// The board: a name, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE")]
    board: PathBuf,
    /// Harts of the machine [default: the board's]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=512))]
    harts: Option<u32>,
    /// The firmware, started as OpenSBI's fw_dynamic is; none: the program starts in M-mode, on
    /// all harts at once [default: OpenSBI]
    #[arg(long, value_name = "PATH|none")]
    bios: Option<PathBuf>,
    /// An initial RAM disk
    #[arg(long, value_name = "FILE")]
    initrd: Option<PathBuf>,
    /// A shared library as a device, at this address; with the number of its first interrupt source.
    /// Several may be given
    #[arg(long, value_name = "FILE@ADDRESS[,SOURCE]")]
    device: Vec<DeviceAt>,
    /// Boot arguments
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    append: String,
    /// Run all of it without time: an instruction is a cycle
    #[arg(long, conflicts_with = "timed_from")]
    functional: bool,
    /// Where time begins: a symbol, an address such as 0x80000000, or after so many instructions
    /// [default: the program's entry]
    #[arg(long, value_name = "PLACE", value_parser = timed_from)]
    timed_from: Option<RunPoint>,
    /// Where caches, TLBs and open rows begin to follow each access, still without time, up to
    /// --timed-from: a symbol, an address, or after so many instructions [default: nowhere]
    #[arg(long, value_name = "PLACE", value_parser = timed_from, requires = "timed_from")]
    warm_from: Option<RunPoint>,
    /// Give up after this machine time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    until: Option<Nanos>,
    /// Write the program's signature there, as riscv-arch-test has it: words in hexadecimal
    #[arg(long, value_name = "FILE")]
    signature: Option<PathBuf>,
    /// Vary the order in which harts reach memory; 0: vary nothing
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    seed: u64,
    #[command(flatten)]
    vary: VariationOptions,
    /// A file with the bytes that are typed at the console; all of them are available from the
    /// start, or with --load from there on
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// At the place of --save-at, else at the time of --until, write the machine's state there, and end
    #[arg(long, value_name = "FILE", conflicts_with = "signature")]
    save: Option<PathBuf>,
    /// Where --save happens: a symbol, an address, or after so many instructions. If --timed-from
    /// is given, the machine first runs there and then with time; else it runs without time
    #[arg(long, value_name = "PLACE", value_parser = timed_from, requires = "save")]
    save_at: Option<RunPoint>,
    /// Go on from a state that --save wrote, of the same board, harts and program; with time if it had
    /// begun there, else from --timed-from on, or without time
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Stand where time begins until gdb lets the machine run; from the first instruction with
    /// --functional
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "1234")]
    gdb: Option<u16>,
}

pub fn execute(boot: Arguments) -> Result<u8, Failure> {
    let board = boards::read(&boards::find(&boot.board)?)?;
    let firmware = match &boot.bios {
        Some(path) if path == Path::new("none") => None,
        Some(path) => Some(path.clone()),
        None => Some(firmware::find()?),
    };
    if boot.save.is_some() && boot.save_at.is_none() && boot.until.is_none() {
        let help = "add --save-at PLACE, or --until TIME";
        return Err(Failure::input("--save does not say when", help));
    }
    // A loaded state has passed the entry already. A state that is saved at a point is mostly that
    // of a booted system. In both cases time does not begin at the entry by default.
    let later = boot.load.is_some() || boot.save_at.is_some();
    let usual = if later { RunPoint::Never } else { RunPoint::Entry };
    let timed_from = if boot.functional { Some(RunPoint::Never) } else { boot.timed_from };
    let mut program = Program::new(&BootOptions {
        board: &board,
        harts: boot.harts.unwrap_or(board.cores),
        program: &boot.program,
        firmware: firmware.as_deref().map_or(Firmware::None, Firmware::Dynamic),
        initrd: boot.initrd.as_deref(),
        append: &boot.append,
        devices: &boot.device,
        input: boot.input.as_deref(),
        timed_from: timed_from.unwrap_or(usual),
        warm_from: boot.warm_from.unwrap_or(RunPoint::Never),
        variation: boot.vary.with(boot.seed),
        save_at: boot.save_at.unwrap_or(RunPoint::Never),
        until: boot.until,
        gdb: boot.gdb,
    })?;
    // This refusal comes before the run, so that no time is wasted.
    if boot.signature.is_some() {
        program.signature()?;
    }
    boot.signature.iter().chain(&boot.save).try_for_each(|file| output::writable(file))?;
    if let Some(file) = &boot.load {
        program.load(file, boot.functional)?;
    }
    interrupt::catch()?;
    let finish = match &boot.save {
        Some(file) => program.run_to_save(file, show)?,
        None => program.run(show)?,
    };
    if let Some(file) = &boot.signature {
        write(file, &program.signature()?)?;
    }
    match finish {
        Finish::Pass => Ok(0),
        Finish::Reset => {
            eprintln!("takt: the program asked for a reset, which ends the machine");
            Ok(0)
        }
        Finish::Fail(code) => {
            let help = "the code is the program's own; its console stands above";
            Err(Failure::no(format!("the program failed with code {code}"), help))
        }
    }
}

/// Prints the console. If nobody reads stdout any more, the run goes on without it.
fn show(bytes: &[u8]) {
    if !bytes.is_empty() {
        let mut stdout = std::io::stdout();
        let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
    }
}

fn write(file: &Path, words: &[u32]) -> Result<(), Failure> {
    let mut text = String::new();
    for word in words {
        let _ = writeln!(text, "{word:08x}");
    }
    output::write(file, text)
}

fn timed_from(text: &str) -> Result<RunPoint, String> {
    if let Some(digits) = text.strip_prefix("0x") {
        let address = u64::from_str_radix(digits, 16);
        return address
            .map(|address| RunPoint::At(StartPoint::Address(address)))
            .map_err(|_| format!("`{text}` is no address"));
    }
    match text.parse() {
        Ok(count) => Ok(RunPoint::At(StartPoint::Instructions(count))),
        Err(_) if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            Err(format!("`{text}` is no number of instructions"))
        }
        Err(_) => Ok(RunPoint::Symbol(text.to_string())),
    }
}
