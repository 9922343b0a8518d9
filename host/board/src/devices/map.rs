// SPDX-License-Identifier: Apache-2.0
//! Where the devices are and which wires they have: QEMU's machine `virt` with `aclint=on`, and the
//! DMA engine, where `virt` has nothing.

/// A device's window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressRange {
    pub base: u64,
    pub size: u64,
}

const fn range(base: u64, size: u64) -> AddressRange {
    AddressRange { base, size }
}

/// What the harts execute first.
pub const ROM: AddressRange = range(0x1000, 0xf000);
pub const FINISHER: AddressRange = range(0x10_0000, 0x1000);
pub const MSWI: AddressRange = range(0x200_0000, 0x4000);
pub const MTIMER: AddressRange = range(0x200_4000, 0xc000);
pub const SSWI: AddressRange = range(0x2f0_0000, 0x4000);
pub const PLIC: AddressRange = range(0xc00_0000, 0x60_0000);
pub const UART: AddressRange = range(0x1000_0000, 0x100);
pub const DMA: AddressRange = range(0x1020_0000, 0x1000);

pub const VIRTIO_SLOTS: u32 = 8;
pub const fn virtio(slot: u32) -> AddressRange {
    range(0x1000_1000 + 0x1000 * slot as u64, 0x1000)
}

/// The offset of `mtime` in the MTIMER's window; the comparisons lie below.
pub const MTIME_OFFSET: u64 = 0x7ff8;

/// The sources of the PLIC are 1 to this; the virtio slots have 1 to 8.
pub const PLIC_SOURCES: u32 = 96;
pub const UART_SOURCE: u32 = 10;
pub const DMA_SOURCE: u32 = 16;

/// Harts that the PLIC's window has contexts for, and that a board may have.
pub const HARTS_MAX: usize = 128;
/// `msip` registers that fit the MSWI's window: from the lowest hart number to the highest.
pub const HART_NUMBERS_MAX: u64 = 4095;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_held_against_this_map() {
        let virtio = range(virtio(0).base, u64::from(VIRTIO_SLOTS) * virtio(0).size);
        let map = [ROM, FINISHER, MSWI, MTIMER, SSWI, PLIC, UART, virtio, DMA];
        let told = takt_model::board::DEVICES.iter().map(|(_, base, size)| range(*base, *size));
        assert_eq!(told.collect::<Vec<_>>(), map);
    }
}
