// SPDX-License-Identifier: Apache-2.0
//! Finding a library, and looking whether it is a device's.

use crate::{
    abi::{ABI, Functions, Given, SYMBOL},
    device::Instance,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Why a file is no device of this machine.
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

/// A library that stays loaded as long as anyone has it.
pub(crate) struct Loaded {
    pub functions: Functions,
    pub wires: u32,
    pub size: u64,
    /// Last: what is above points into it.
    _library: libloading::Library,
}

/// Loads a library, and makes a device by it to see that it can be saved.
pub(crate) fn load(path: &Path) -> Result<Arc<Loaded>, LibraryError> {
    let given = path.to_path_buf();
    // A bare name would be looked for where the system has its libraries.
    let file = path
        .canonicalize()
        .map_err(|error| LibraryError::Missing { path: given.clone(), error })?;
    // The loader would wait for whoever writes into a pipe.
    if !file.is_file() {
        let error = std::io::Error::other("it is no file");
        return Err(LibraryError::Missing { path: given, error });
    }
    // SAFETY: the user names the library to be run, as a program to be started.
    let library = unsafe { libloading::Library::new(file) }
        .map_err(|error| LibraryError::Load { path: given.clone(), error })?;
    let told = {
        // SAFETY: the header gives the symbol this type. What a library of this name exports
        // otherwise is as much the user's as what it does.
        let symbol =
            unsafe { library.get::<unsafe extern "C" fn() -> *const Given>(SYMBOL.as_bytes()) };
        let symbol = symbol.map_err(|_| LibraryError::Symbol { path: given.clone() })?;
        // SAFETY: as above.
        unsafe { symbol() }
    };
    let incomplete = |what: String| LibraryError::Incomplete { path: given.clone(), what };
    if told.is_null() {
        return Err(incomplete(format!("`{SYMBOL}` answers nothing")));
    }
    // SAFETY: every version of the structure begins with its number; the rest may be shorter.
    let has = unsafe { told.cast::<u32>().read() };
    if has != ABI {
        return Err(LibraryError::Version { path: given, has });
    }
    // SAFETY: of this version, it is this structure.
    let told = unsafe { told.read() };
    let functions =
        told.all().map_err(|name| incomplete(format!("it has no function `{name}`")))?;
    if told.wires > 32 {
        return Err(incomplete(format!("{} wires are more than 32", told.wires)));
    }
    if told.size == 0 || told.size % 8 != 0 {
        let what = format!("its window of {} bytes is no multiple of 8", told.size);
        return Err(incomplete(what));
    }
    let (wires, size) = (told.wires, told.size);
    let loaded = Arc::new(Loaded { functions, wires, size, _library: library });
    Instance::check(&loaded).map_err(|what| incomplete(what.to_string()))?;
    Ok(loaded)
}
