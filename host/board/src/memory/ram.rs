// SPDX-License-Identifier: Apache-2.0
//! The machine's RAM: the one place where values live. Regions and scratchpads are slices of one array.

use super::LINE;
use serde::Serialize;
use std::ops::Range;

#[derive(Default)]
pub struct Ram {
    /// The first region's address; it begins the array.
    pub base: u64,
    /// Bytes of the first region.
    main: u64,
    /// All regions, in the order of their offsets.
    regions: Vec<Region>,
    bytes: Vec<u8>,
    /// A bit for each page that was written. The others are zero, and a copy leaves them out.
    touched: Vec<u64>,
}

/// A range of physical addresses, and where its bytes begin in the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    pub base: u64,
    pub size: u64,
    pub offset: u64,
    /// Caches keep its lines.
    pub cached: bool,
}

const PAGE: u64 = 4096;
/// Address and offset agree below this, so that what is indexed by either is the same.
const AGREE: u64 = 1 << 26;

impl Clone for Ram {
    fn clone(&self) -> Ram {
        let mut copy = self.blank();
        copy.touched.clone_from(&self.touched);
        for page in self.touched_pages() {
            let range = page as usize..(page + PAGE).min(self.size()) as usize;
            copy.bytes[range.clone()].copy_from_slice(&self.bytes[range]);
        }
        copy
    }
}

impl Ram {
    /// One region.
    pub fn new(base: u64, size: u64) -> Ram {
        Ram::of(std::slice::from_ref(&(base..base + size)), 0)
    }

    /// Whether this host can give so much: of address space, since pages come at first touch.
    pub fn fits(size: u64) -> bool {
        let size = usize::try_from(size).ok();
        size.is_some_and(|size| Vec::<u8>::new().try_reserve_exact(size).is_ok())
    }

    /// Several regions of whole pages, the first of which begins the array, and behind them so many
    /// bytes that are at no address of their own.
    pub fn of(memory: &[Range<u64>], behind: u64) -> Ram {
        let base = memory.first().map_or(0, |first| first.start);
        let (mut regions, mut end) = (Vec::new(), 0u64);
        for range in memory {
            let offset = end + (range.start.wrapping_sub(base).wrapping_sub(end) & (AGREE - 1));
            let size = range.end.saturating_sub(range.start);
            regions.push(Region { base: range.start, size, offset, cached: true });
            end = offset + size;
        }
        Ram::made(regions, end + behind)
    }

    fn made(regions: Vec<Region>, size: u64) -> Ram {
        let (base, main) = regions.first().map_or((0, 0), |first| (first.base, first.size));
        // The host gives zeroed pages at first touch.
        let pages = size.div_ceil(PAGE) as usize;
        let (bytes, touched) = (vec![0; size as usize], vec![0; pages.div_ceil(64)]);
        Ram { base, main, regions, bytes, touched }
    }

    /// No cache keeps the region that begins at this address.
    pub fn keep_from_caches(&mut self, base: u64) {
        let regions = self.regions.iter_mut().filter(|region| region.base == base);
        regions.for_each(|region| region.cached = false);
    }

    /// Whether caches may keep what is at an offset. Nobody asks that on a fast way.
    pub fn is_cached(&self, offset: u64) -> bool {
        let inside = |region: &&Region| offset.wrapping_sub(region.offset) < region.size;
        self.regions.iter().find(inside).is_some_and(|region| region.cached)
    }

    pub fn has_uncached(&self) -> bool {
        self.regions.iter().any(|region| !region.cached)
    }

    /// Makes a RAM with the same regions, all zero.
    pub fn blank(&self) -> Ram {
        Ram::made(self.regions.clone(), self.size())
    }

    /// The size of the array in bytes.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Where the bytes begin that are at no address of their own.
    pub fn behind(&self) -> u64 {
        self.regions.last().map_or(0, |last| last.offset + last.size)
    }

    /// Offset of a physical address, if all `count` bytes are in one region.
    #[inline(always)]
    pub fn offset(&self, address: u64, count: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        if offset < self.main && self.main - offset >= count {
            return Some(offset);
        }
        self.regions.get(1..)?.iter().find_map(|region| {
            let inside = address.wrapping_sub(region.base);
            let fits = inside < region.size && region.size - inside >= count;
            fits.then_some(region.offset + inside)
        })
    }

    /// The physical address of an offset; behind all regions one that nothing has.
    #[inline(always)]
    pub fn address(&self, offset: u64) -> u64 {
        if offset < self.main || self.regions.len() < 2 {
            return self.base.wrapping_add(offset);
        }
        let after = self.regions.partition_point(|region| region.offset <= offset);
        let region = self.regions[after - 1];
        region.base.wrapping_add(offset - region.offset)
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

    /// Writes as `write` does, a number of bytes known only when it runs.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_lie_where_the_lower_bits_of_their_addresses_say() {
        let memory = [0x8000_0000..0x8000_3000, 0x4000_5000..0x4000_6000, 0x9000_0000..0x9000_1000];
        let ram = Ram::of(&memory, 0x2000);
        for range in &memory {
            let offset = ram.offset(range.start + 0xff8, 8).expect("it is there");
            assert_eq!(ram.address(offset), range.start + 0xff8);
            assert_eq!(offset % AGREE, (range.start + 0xff8).wrapping_sub(ram.base) % AGREE);
            assert_eq!(ram.offset(range.end - 4, 8), None);
        }
        assert_eq!(ram.size() - ram.behind(), 0x2000);
    }
}
