// SPDX-License-Identifier: Apache-2.0
//! The Rust declarations of `include/takt/board_device.h`, which documents each function.

use std::ffi::c_int;

pub const ABI: u32 = 2;
pub const NEVER: u64 = u64::MAX;
pub const SYMBOL: &str = "takt_board_device";

/// The state of a device, which only the library knows.
#[repr(C)]
pub struct Device {
    private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Machine {
    pub frequency: u64,
    pub timebase: u64,
    pub clock: u64,
    pub harts: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Access {
    pub offset: u64,
    pub value: u64,
    pub bytes: u32,
    pub is_write: u32,
    pub initiator: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Transfer {
    pub address: u64,
    pub bytes: u32,
    pub is_write: u32,
    pub data: [u8; 64],
}

/// The functions as the library gives them; any of them may be missing.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Given {
    pub abi: u32,
    pub wires: u32,
    pub size: u64,
    pub create: Option<unsafe extern "C" fn(*const Machine) -> *mut Device>,
    pub destroy: Option<unsafe extern "C" fn(*mut Device)>,
    pub access: Option<unsafe extern "C" fn(*mut Device, u64, *mut Access) -> c_int>,
    pub advance: Option<unsafe extern "C" fn(*mut Device, u64)>,
    pub next_event: Option<unsafe extern "C" fn(*const Device) -> u64>,
    pub levels: Option<unsafe extern "C" fn(*const Device) -> u32>,
    pub transfer: Option<unsafe extern "C" fn(*mut Device, *mut Transfer) -> c_int>,
    pub transferred: Option<unsafe extern "C" fn(*mut Device, u64, c_int, *const u8, u32)>,
    pub save: Option<unsafe extern "C" fn(*const Device, *mut u8, usize) -> usize>,
    pub restore: Option<unsafe extern "C" fn(*mut Device, *const u8, usize) -> c_int>,
}

/// The complete set of functions.
#[derive(Clone, Copy)]
pub struct Functions {
    pub create: unsafe extern "C" fn(*const Machine) -> *mut Device,
    pub destroy: unsafe extern "C" fn(*mut Device),
    pub access: unsafe extern "C" fn(*mut Device, u64, *mut Access) -> c_int,
    pub advance: unsafe extern "C" fn(*mut Device, u64),
    pub next_event: unsafe extern "C" fn(*const Device) -> u64,
    pub levels: unsafe extern "C" fn(*const Device) -> u32,
    pub transfer: unsafe extern "C" fn(*mut Device, *mut Transfer) -> c_int,
    pub transferred: unsafe extern "C" fn(*mut Device, u64, c_int, *const u8, u32),
    pub save: unsafe extern "C" fn(*const Device, *mut u8, usize) -> usize,
    pub restore: unsafe extern "C" fn(*mut Device, *const u8, usize) -> c_int,
}

impl Given {
    /// Returns all functions, or the name of the first one that is missing.
    pub fn all(&self) -> Result<Functions, &'static str> {
        Ok(Functions {
            create: self.create.ok_or("create")?,
            destroy: self.destroy.ok_or("destroy")?,
            access: self.access.ok_or("access")?,
            advance: self.advance.ok_or("advance")?,
            next_event: self.next_event.ok_or("next_event")?,
            levels: self.levels.ok_or("levels")?,
            transfer: self.transfer.ok_or("transfer")?,
            transferred: self.transferred.ok_or("transferred")?,
            save: self.save.ok_or("save")?,
            restore: self.restore.ok_or("restore")?,
        })
    }
}
