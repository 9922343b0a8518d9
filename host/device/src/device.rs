// SPDX-License-Identifier: Apache-2.0
//! One device of a library, as the board uses it.

use crate::{
    abi::{self, NEVER},
    library::Loaded,
};
use std::{ptr::NonNull, sync::Arc};
use takt_board::devices::{
    BadState, Device, Edge, ExtraDevice, Kind, Refused, Request, Tick, Transfer,
};

/// The size of a line in bytes, which is the greatest length of a transfer.
const LINE: usize = 64;

pub(crate) struct Instance {
    state: NonNull<abi::Device>,
    /// The levels of the wires at the last call of `edges`.
    levels: u32,
    /// Whether a transfer is under way.
    transferring: bool,
    /// The library, which stays loaded as long as the state exists.
    library: Arc<Loaded>,
}

// SAFETY: the header demands that any thread may call a device, one at a time, and that several
// threads may call the functions that take it `const`, which are those that `&self` calls here.
unsafe impl Send for Instance {}
// SAFETY: see above: the functions called by `&self` may be called by several threads.
unsafe impl Sync for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `create` of the same library made the state, and it is not used afterwards.
        unsafe { (self.library.functions.destroy)(self.state.as_ptr()) }
    }
}

impl Instance {
    pub fn new(library: &Arc<Loaded>) -> Option<Instance> {
        // SAFETY: the header defines this function, and the library is loaded; the machine exists
        // during the call.
        let state = NonNull::new(unsafe { (library.functions.create)(&library.machine) })?;
        Some(Instance { state, levels: 0, transferring: false, library: library.clone() })
    }

    /// Checks that the library's devices can be created and copied, because the board may copy a
    /// machine at any time.
    pub fn check(library: &Arc<Loaded>) -> Result<(), &'static str> {
        let made = Instance::new(library).ok_or("`create` makes none for this machine")?;
        let state = made.save_own().ok_or("`save` does not say twice the same")?;
        let copy = Instance::new(library).ok_or("`create` makes no second one")?;
        match copy.restore_own(&state) && copy.save_own().as_ref() == Some(&state) {
            true => Ok(()),
            false => Err("`restore` does not take what `save` gives"),
        }
    }

    fn save_own(&self) -> Option<Vec<u8>> {
        let save = self.library.functions.save;
        // SAFETY: nothing is written, because there is no room.
        let size = unsafe { save(self.state.as_ptr(), std::ptr::null_mut(), 0) };
        let mut bytes = vec![0; size];
        // SAFETY: the buffer has room for this number of bytes.
        let again = unsafe { save(self.state.as_ptr(), bytes.as_mut_ptr(), size) };
        (again == size).then_some(bytes)
    }

    fn restore_own(&self, state: &[u8]) -> bool {
        let restore = self.library.functions.restore;
        // SAFETY: the buffer holds this number of bytes.
        unsafe { restore(self.state.as_ptr(), state.as_ptr(), state.len()) == 1 }
    }
}

impl Device for Instance {
    fn access(&mut self, now: Tick, request: Request) -> Result<u64, Refused> {
        let (value, is_write) = match request.kind {
            Kind::Read => (0, 0),
            Kind::Write(value) => (value, 1),
        };
        let Request { initiator, offset, bytes, .. } = request;
        let bytes = bytes.into();
        let mut access = abi::Access { offset, value, bytes, is_write, initiator, reserved: 0 };
        // SAFETY: device and access exist during the call.
        let done =
            unsafe { (self.library.functions.access)(self.state.as_ptr(), now, &mut access) };
        if done == 1 { Ok(access.value) } else { Err(Refused) }
    }

    fn advance(&mut self, now: Tick) {
        // SAFETY: the device exists.
        unsafe { (self.library.functions.advance)(self.state.as_ptr(), now) }
    }

    fn next_event(&self) -> Option<Tick> {
        // SAFETY: the device exists.
        let next = unsafe { (self.library.functions.next_event)(self.state.as_ptr()) };
        (next != NEVER).then_some(next)
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        // SAFETY: the device exists.
        let levels = unsafe { (self.library.functions.levels)(self.state.as_ptr()) };
        let changed = levels ^ self.levels;
        let wires = (0..self.library.wires).filter(|wire| changed >> wire & 1 != 0);
        out.extend(wires.map(|wire| Edge { wire, level: levels >> wire & 1 != 0 }));
        self.levels = levels;
    }

    fn transfer(&mut self) -> Option<Transfer> {
        if self.transferring {
            return None;
        }
        let mut wanted = abi::Transfer { address: 0, bytes: 0, is_write: 0, data: [0; LINE] };
        // SAFETY: device and transfer exist during the call.
        let some = unsafe { (self.library.functions.transfer)(self.state.as_ptr(), &mut wanted) };
        if some != 1 {
            return None;
        }
        self.transferring = true;
        let abi::Transfer { address, bytes, is_write, data } = wanted;
        Some(match is_write {
            0 => Transfer::Read { address, bytes },
            // The machine refuses a transfer that is longer than a line.
            _ => {
                let mut data = data.to_vec();
                data.resize((bytes as usize).min(LINE + 1), 0);
                Transfer::Write { address, data }
            }
        })
    }

    fn transferred(&mut self, now: Tick, data: Option<&[u8]>) {
        self.transferring = false;
        let (done, data) = (data.is_some().into(), data.unwrap_or_default());
        let transferred = self.library.functions.transferred;
        // SAFETY: the device exists, and the buffer holds this number of bytes.
        unsafe { transferred(self.state.as_ptr(), now, done, data.as_ptr(), data.len() as u32) }
    }
}

impl ExtraDevice for Instance {
    fn boxed_clone(&self) -> Box<dyn ExtraDevice> {
        let mut copy = Instance::new(&self.library).expect("the library makes a device again");
        copy.restore(&self.save()).expect("the library takes what it saved");
        Box::new(copy)
    }

    /// The board's own data about the device, followed by the library's state.
    fn save(&self) -> Vec<u8> {
        let own = self.save_own().expect("the library says twice the same");
        let mut state = self.levels.to_le_bytes().to_vec();
        state.push(self.transferring.into());
        state.extend(own);
        state
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), BadState> {
        let (levels, rest) = state.split_first_chunk().ok_or(BadState)?;
        let (transferring, own) = rest.split_first().ok_or(BadState)?;
        if *transferring > 1 || !self.restore_own(own) {
            return Err(BadState);
        }
        self.levels = u32::from_le_bytes(*levels);
        self.transferring = *transferring == 1;
        Ok(())
    }
}
