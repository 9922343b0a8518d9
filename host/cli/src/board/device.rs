// SPDX-License-Identifier: Apache-2.0
//! The option `--device`: a shared library as a device of the machine.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use takt_board::StartError;
use takt_board::devices::{Clock, Extra, WireEnd, map::AddressRange};
use takt_device::{Library, Surroundings};
use takt_model::Board;

use crate::failure::Failure;

/// The value of `--device`: `FILE@ADDRESS` or `FILE@ADDRESS,SOURCE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceAt {
    library: PathBuf,
    base: u64,
    /// The PLIC's source for the device's first wire; the other wires have the sources that follow.
    source: Option<u32>,
}

impl FromStr for DeviceAt {
    type Err = String;

    fn from_str(text: &str) -> Result<DeviceAt, String> {
        let (library, place) = text
            .rsplit_once('@')
            .filter(|(library, _)| !library.is_empty())
            .ok_or("write a library and its address, such as alarm.so@0x50000000,20")?;
        let (base, source) = match place.split_once(',') {
            Some((base, source)) => (base, Some(source)),
            None => (place, None),
        };
        let digits = base.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
        let base = digits
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .ok_or_else(|| format!("`{base}` is no address, such as 0x50000000"))?;
        if base % 8 != 0 {
            return Err(format!("the address {base:#x} is no multiple of 8"));
        }
        let number = |text: &str| {
            text.parse().map_err(|_| format!("`{text}` is no number of an interrupt source"))
        };
        let source = source.map(number).transpose()?;
        Ok(DeviceAt { library: library.into(), base, source })
    }
}

/// Loads a library of a device for this machine; `clock`: the cycles in one of the device's own.
pub fn open(
    library: &Path,
    board: &Board,
    (harts, clock): (u32, u64),
    help: &str,
) -> Result<Library, Failure> {
    let no_timing = || super::refused(StartError::NoTiming(board.name.clone()));
    let timing = board.timing.as_ref().ok_or_else(no_timing)?;
    let rates = Clock { frequency: timing.frequency, timebase: timing.timebase };
    Library::open(library, Surroundings { rates, clock, harts })
        .map_err(|error| Failure::input(error, help))
}

impl DeviceAt {
    /// Loads the library and creates the device.
    pub fn load(&self, board: &Board, harts: u32) -> Result<Extra, Failure> {
        let library = open(
            &self.library,
            board,
            (harts, 1),
            "name a shared library that takt/board_device.h describes",
        )?;
        let range = AddressRange { base: self.base, size: library.size() };
        let from = |first: u32| (first..=u32::MAX).take(library.wires() as usize).collect();
        let sources = self.source.map_or(Vec::new(), from);
        Ok(Extra {
            range,
            node: 0,
            wires: sources.into_iter().map(WireEnd::Source).collect(),
            device: library.device(),
        })
    }
}
