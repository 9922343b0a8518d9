// SPDX-License-Identifier: Apache-2.0
//! Devices of the modelled board that are shared libraries, written in C, or a Verilated unit.
//!
//! `include/takt/board_device.h` says what such a library has. [`Library::open`] loads it, or says what is
//! wrong with it; [`Library::device`] makes a device that the board takes as its own. This is the only
//! crate with `unsafe`.

mod abi;
mod device;
mod library;

pub use library::LibraryError;

use device::Instance;
use std::{path::Path, sync::Arc};
use takt_board::devices::ExtraDevice;

/// A library whose devices can be made, copied and saved.
pub struct Library(Arc<library::Loaded>);

impl Library {
    pub fn open(path: &Path) -> Result<Library, LibraryError> {
        library::load(path).map(Library)
    }

    /// Bytes of the window of a device's registers.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// Interrupt wires of a device, at most 32.
    pub fn wires(&self) -> u32 {
        self.0.wires
    }

    /// A device as after a reset.
    pub fn device(&self) -> Box<dyn ExtraDevice> {
        Box::new(Instance::new(&self.0).expect("it was made before"))
    }
}
