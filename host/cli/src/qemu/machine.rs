// SPDX-License-Identifier: Apache-2.0
//! The machine of a run, and the QEMU command line for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use takt_model::{Board, Nanos};

use crate::failure::Failure;
use crate::firmware;
use crate::programs;

/// The physical address at which the memory of QEMU's machine virt begins.
pub const MEMORY: u64 = 0x8000_0000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// One instruction takes one nanosecond, and idle time is skipped. Runs are similar but not
    /// identical, because QEMU decides when the next hart has its turn.
    Instructions,
    /// Each hart is a thread of the host and time is the host's: the interleaving is real, and no
    /// two runs are alike.
    Threads,
}

/// The files that QEMU shares with takt.
#[derive(Clone, Debug)]
pub struct Files {
    /// The machine's memory. takt reads it directly, because with `-icount` the thread of the harts
    /// can keep the monitor of QEMU 7.2 from ever answering.
    pub memory: PathBuf,
    /// The socket of QEMU's monitor, used only when a machine hangs.
    pub monitor: PathBuf,
}

#[derive(Clone, Debug)]
pub struct Machine {
    pub harts: u32,
    /// The size of the memory in bytes.
    pub memory: u64,
    pub clock: Clock,
    pub run_for: Option<Nanos>,
    /// The host time without any progress after which the machine is given up.
    pub patience: Duration,
    /// Further arguments for QEMU. They come last, so they override the others.
    pub extra: Vec<OsString>,
}

impl Machine {
    /// The default patience: it grows with the number of harts, because the firmware takes longest
    /// to start them.
    pub fn default_patience(harts: u32) -> Duration {
        Duration::from_secs(60 + u64::from(harts))
    }

    /// The size of memory that a board needs on QEMU's machine virt.
    pub fn memory_of(board: &Board) -> Result<u64, Failure> {
        let end = board.memory.iter().map(|memory| memory.base + memory.size.0).max();
        let below = board.memory.iter().any(|memory| memory.base < MEMORY);
        match end {
            Some(end) if !below && board.compatible == "riscv-virtio" => Ok(end - MEMORY),
            _ => Err(Failure::input(
                format!("QEMU's virt machine cannot be the board {}", board.name),
                "with --qemu a board must be compatible to \"riscv-virtio\" and have its memory \
                 from 0x80000000",
            )),
        }
    }

    /// The whole command, with the console on stdout; the command is not started.
    pub fn command(&self, image: &Path, files: &Files) -> Result<Command, Failure> {
        let mut command = tied(programs::find("qemu-system-riscv64", "qemu-system-misc")?);
        command.args(["-M", "virt,aclint=on,memory-backend=ram"]);
        command.args(["-nodefaults", "-display", "none", "-no-reboot"]);
        command.arg("-bios").arg(firmware::find()?);
        command.args(["-smp", &self.harts.to_string()]);
        let size = format!("{}K", self.memory.div_ceil(1024));
        command.args(["-m", &size]).arg("-object").arg(joined(
            &format!("memory-backend-file,id=ram,share=on,size={size},mem-path="),
            &files.memory,
            "",
        ));
        command.args(["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"]);
        command.arg("-qmp").arg(joined("unix:", &files.monitor, ",server=on,wait=off"));
        match self.clock {
            Clock::Instructions => command.args(["-icount", "shift=0,sleep=off"]),
            Clock::Threads => command.args(["-accel", "tcg,thread=multi"]),
        };
        command.arg("-kernel").arg(image);
        if let Some(Nanos(nanos)) = self.run_for {
            command.args(["-append", &format!("for={nanos}")]);
        }
        command.args(&self.extra);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }
}

/// A command whose process the host's kernel kills when takt dies for any reason. The process has a
/// process group of its own, so that Ctrl-C reaches only takt, which then ends QEMU in good order.
fn tied(program: PathBuf) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = match which::which("setpriv") {
        Ok(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "KILL"]).arg(program);
            command
        }
        Err(_) => Command::new(program),
    };
    command.process_group(0);
    command
}

fn joined(before: &str, path: &Path, after: &str) -> OsString {
    let mut text = OsString::from(before);
    text.push(path);
    text.push(after);
    text
}
