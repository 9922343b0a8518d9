// SPDX-License-Identifier: Apache-2.0
//! The machine's RAM: the one place where values live.

use super::LINE;

#[derive(Default)]
pub struct Ram {
    pub base: u64,
    bytes: Vec<u8>,
    /// A bit for each page that was written. The others are zero, and a copy leaves them out.
    touched: Vec<u64>,
}

const PAGE: u64 = 4096;

impl Clone for Ram {
    fn clone(&self) -> Ram {
        let mut copy = Ram::new(self.base, self.size());
        copy.touched.clone_from(&self.touched);
        for page in self.touched_pages() {
            let range = page as usize..(page + PAGE).min(self.size()) as usize;
            copy.bytes[range.clone()].copy_from_slice(&self.bytes[range]);
        }
        copy
    }
}

impl Ram {
    pub fn new(base: u64, size: u64) -> Ram {
        // The host gives zeroed pages at first touch.
        let pages = size.div_ceil(PAGE) as usize;
        Ram { base, bytes: vec![0; size as usize], touched: vec![0; pages.div_ceil(64)] }
    }

    /// Whether this host can give so much: of address space, since pages come at first touch.
    pub fn fits(size: u64) -> bool {
        let size = usize::try_from(size).ok();
        size.is_some_and(|size| Vec::<u8>::new().try_reserve_exact(size).is_ok())
    }

    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Offset of a physical address, if all `count` bytes are here.
    #[inline(always)]
    pub fn offset(&self, address: u64, count: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        (offset < self.size() && self.size() - offset >= count).then_some(offset)
    }

    /// Before the first write to a page.
    pub fn touch(&mut self, offset: u64) {
        let page = offset / PAGE;
        self.touched[(page / 64) as usize] |= 1 << (page % 64);
    }

    /// Offsets of the pages that may hold anything but zero.
    pub fn touched_pages(&self) -> impl Iterator<Item = u64> + '_ {
        let set = |page: &u64| self.touched[(page / 64) as usize] >> (page % 64) & 1 != 0;
        (0..self.size().div_ceil(PAGE)).filter(set).map(|page| page * PAGE)
    }

    /// The touched pages' bytes, by their offsets; none of a page that is all zero. It has been touched
    /// all the same: a store to it may stand in a store buffer.
    pub fn pages(&self) -> impl Iterator<Item = (u64, &[u8])> + '_ {
        self.touched_pages().map(|at| {
            let page = self.slice(at, PAGE.min(self.size() - at));
            (at, if page.iter().all(|byte| *byte == 0) { &[] } else { page })
        })
    }

    /// Touches a page of zeros and gives it these bytes, if any. False: there is no such page.
    pub fn set_page(&mut self, offset: u64, page: &[u8]) -> bool {
        let fits = offset % PAGE == 0
            && offset < self.size()
            && (page.is_empty() || page.len() as u64 == PAGE.min(self.size() - offset));
        if fits {
            self.touch(offset);
            self.slice_mut(offset, page.len() as u64).copy_from_slice(page);
        }
        fits
    }

    /// `N` bytes, zero-extended.
    #[inline(always)]
    pub fn read<const N: usize>(&self, offset: u64) -> u64 {
        let at = offset as usize;
        let mut value = [0; 8];
        value[..N].copy_from_slice(&self.bytes[at..at + N]);
        u64::from_le_bytes(value)
    }

    #[inline(always)]
    pub fn write<const N: usize>(&mut self, offset: u64, value: u64) {
        let at = offset as usize;
        self.bytes[at..at + N].copy_from_slice(&value.to_le_bytes()[..N]);
    }

    /// As `write`, of a number of bytes known only when it runs.
    pub fn write_some(&mut self, offset: u64, value: u64, count: usize) {
        let at = offset as usize;
        self.bytes[at..at + count].copy_from_slice(&value.to_le_bytes()[..count]);
    }

    pub fn slice(&self, offset: u64, count: u64) -> &[u8] {
        &self.bytes[offset as usize..(offset + count) as usize]
    }

    pub fn slice_mut(&mut self, offset: u64, count: u64) -> &mut [u8] {
        (offset / PAGE..(offset + count).div_ceil(PAGE)).for_each(|page| self.touch(page * PAGE));
        &mut self.bytes[offset as usize..(offset + count) as usize]
    }

    pub fn line(&self, offset: u64) -> [u8; LINE as usize] {
        let at = (offset & !(LINE - 1)) as usize;
        self.bytes[at..at + LINE as usize].try_into().expect("RAM is whole pages")
    }
}
