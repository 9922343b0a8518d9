// SPDX-License-Identifier: Apache-2.0
//! Loads a library, and checks that it is that of a device.

use crate::{
    Surroundings,
    abi::{ABI, Functions, Given, Machine, SYMBOL},
    device::Instance,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The reason why a file is not a device of this machine.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error("there is no library {}: {error}", path.display())]
    Missing { path: PathBuf, error: std::io::Error },
    #[error("cannot load {}: {error}", path.display())]
    Load { path: PathBuf, error: libloading::Error },
    #[error("{} has no function `{SYMBOL}`: it is no device's library", path.display())]
    Symbol { path: PathBuf },
    #[error(
        "{} was made for version {has} of takt/board_device.h, and this takt has {ABI}",
        path.display()
    )]
    Version { path: PathBuf, has: u32 },
    #[error("{} is no whole device: {what}", path.display())]
    Incomplete { path: PathBuf, what: String },
}

/// A library that stays loaded as long as a reference to it exists.
pub(crate) struct Loaded {
    pub functions: Functions,
    pub wires: u32,
    pub size: u64,
    /// The argument of `create`.
    pub machine: Machine,
    /// The library itself; the last field, because the fields above point into it.
    _library: libloading::Library,
}

/// Loads a library, and creates a device to check that devices can be saved.
pub(crate) fn load(path: &Path, around: Surroundings) -> Result<Arc<Loaded>, LibraryError> {
    let given = path.to_path_buf();
    // A bare name would be looked up in the system's library folders.
    let file = path
        .canonicalize()
        .map_err(|error| LibraryError::Missing { path: given.clone(), error })?;
    // The loader would wait for the other end of a pipe.
    if !file.is_file() {
        let error = std::io::Error::other("it is no file");
        return Err(LibraryError::Missing { path: given, error });
    }
    // SAFETY: the user names the library to be executed, like a program.
    let library = unsafe { libloading::Library::new(file) }
        .map_err(|error| LibraryError::Load { path: given.clone(), error })?;
    let exported = {
        // SAFETY: the header gives the symbol this type. A library that exports something else
        // under this name is as much the user's responsibility as its behaviour.
        let symbol =
            unsafe { library.get::<unsafe extern "C" fn() -> *const Given>(SYMBOL.as_bytes()) };
        let symbol = symbol.map_err(|_| LibraryError::Symbol { path: given.clone() })?;
        // SAFETY: see above: the symbol has this type.
        unsafe { symbol() }
    };
    let incomplete = |what: String| LibraryError::Incomplete { path: given.clone(), what };
    if exported.is_null() {
        return Err(incomplete(format!("`{SYMBOL}` answers nothing")));
    }
    // SAFETY: every version of the structure begins with its version number; the rest may be
    // shorter.
    let has = unsafe { exported.cast::<u32>().read() };
    if has != ABI {
        return Err(LibraryError::Version { path: given, has });
    }
    // SAFETY: the library has this version, so it returns this structure.
    let exported = unsafe { exported.read() };
    let functions =
        exported.all().map_err(|name| incomplete(format!("it has no function `{name}`")))?;
    if exported.wires > 32 {
        return Err(incomplete(format!("{} wires are more than 32", exported.wires)));
    }
    if exported.size == 0 || exported.size % 8 != 0 {
        let what = format!("its window of {} bytes is no multiple of 8", exported.size);
        return Err(incomplete(what));
    }
    let (wires, size) = (exported.wires, exported.size);
    let Surroundings { rates, clock, harts } = around;
    let (frequency, timebase) = (rates.frequency, rates.timebase);
    let machine = Machine { frequency, timebase, clock, harts, reserved: 0 };
    let loaded = Arc::new(Loaded { functions, wires, size, machine, _library: library });
    Instance::check(&loaded).map_err(|what| incomplete(what.to_string()))?;
    Ok(loaded)
}
