// SPDX-License-Identifier: Apache-2.0
//! Which pages of an image a core may touch after time 0, and whether its second-level cache has a place for each of their
//! lines. See docs/design/residency.md.

use takt_configure::LINK_BASE;
use takt_model::timing::Cache;
use takt_model::{Assignment, System};

use crate::image::Image;

const PAGE: u64 = 4096;

/// Tables beside those of the image's last level: the root and the one below it, and those of devices.
const OTHER_TABLES: u64 = 5;

/// What a core may touch, by the cache that has to hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    pub pages: u64,
    /// The pages that the cache has places for, if they are evenly distributed.
    pub capacity: u64,
    /// The most lines of pages of one colour that meet in a set.
    pub fullest: u64,
    pub ways: u64,
}

impl Footprint {
    /// Returns whether no line has to leave the cache for another one.
    pub fn is_resident(&self) -> bool {
        self.fullest <= self.ways
    }
}

/// Returns the footprint of a core, or why it is not known.
pub fn footprint(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
    core: u32,
) -> Result<Footprint, &'static str> {
    let timing = system.board.timing.as_ref().ok_or("the board has no timing")?;
    let cache = timing.of_core(core).l2.ok_or("the core has no cache of its own but the first")?;
    if timing.cluster.is_some() {
        return Err("cores of a cluster share a cache");
    }
    if system.kernel.homing != Default::default() {
        return Err("the pages of cores have homes");
    }
    if !system.partitions.is_empty() || system.posix.is_some() {
        return Err("partitions and heaps are not counted yet");
    }
    if !cache.index.is_empty() {
        return Err("the cache's sets are hashed");
    }
    Ok(count(&cache, &pages(system, assignments, image, core)))
}

/// The physical pages of a core's footprint, as ranges of page numbers.
pub fn pages(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
    core: u32,
) -> Vec<std::ops::Range<u64>> {
    let at = |name: &str| image.objects.get(name).map_or(0, |object| object.address);
    let physical = |address: u64| system.board.load + (address - LINK_BASE);
    let range = |start: u64, end: u64| physical(start) / PAGE..physical(end).div_ceil(PAGE);
    let core_start = |core: u32| at(&format!("takt_core{core}_start"));
    let last = system.cores - 1;
    let tables = at("takt_page_tables");
    // The last core's part and what all share are one piece.
    let mut pages = vec![
        range(at("takt_image_start"), at("takt_bss_start")),
        range(core_start(last), tables),
        range(tables, tables + used_tables(image) * PAGE),
    ];
    // The console's core looks into the rings of all others.
    let reaches = |other: &u32| *other == core || core == system.kernel.console_core;
    let own = (0..last).filter(reaches);
    pages.extend(own.map(|core| range(core_start(core), core_start(core + 1))));
    // Stacks follow the image one after the other, core by core; the pages between them take addresses only.
    let mut next = physical(at("takt_image_end")) / PAGE;
    for here in 0..system.cores {
        let tasks = system.tasks.iter().zip(assignments);
        let tasks = tasks.filter(|(_, assignment)| assignment.core == here);
        let tasks = tasks.map(|(task, _)| (format!("task_{}", task.name), &task.cores[..]));
        let contexts = ["trap", "idle"].map(|it| (format!("core{here}_{it}"), &[][..]));
        for (name, cores) in contexts.into_iter().chain(tasks) {
            let bounds = ["limit", "top"].map(|end| at(&format!("takt_stack_{name}_{end}")));
            let end = next + (bounds[1] - bounds[0]) / PAGE;
            if here == core || cores.contains(&core) {
                pages.push(next..end);
            }
            next = end;
        }
    }
    pages
}

/// The tables that the boot takes: one for each 2 MiB of addresses, and the others.
fn used_tables(image: &Image) -> u64 {
    let names = image.objects.iter();
    let tops = names.filter(|(name, _)| name.starts_with("takt_stack_") && name.ends_with("_top"));
    let end = tops.map(|(_, object)| object.address).max().unwrap_or(LINK_BASE);
    (end - LINK_BASE).div_ceil(2 << 20) + OTHER_TABLES
}

fn count(cache: &Cache, pages: &[std::ops::Range<u64>]) -> Footprint {
    let ways = u64::from(cache.ways);
    let way = cache.size / ways;
    let colours = (way / PAGE).max(1);
    // Where a way is smaller than a page, a page has several lines of each set.
    let lines = PAGE.div_ceil(way).max(1);
    let mut of_colour = vec![0; colours as usize];
    for page in pages.iter().cloned().flatten() {
        of_colour[(page % colours) as usize] += lines;
    }
    Footprint {
        pages: pages.iter().map(|range| range.end - range.start).sum(),
        capacity: colours * ways / lines,
        fullest: of_colour.into_iter().max().unwrap_or(0),
        ways,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(size: u64, ways: u32) -> Cache {
        Cache { size, ways, hit: 9, index: Vec::new() }
    }

    /// 256 KiB in 8 ways have 8 colours. 64 pages in a row fill them; 9 pages that are 8 apart meet in one.
    #[test]
    fn pages_of_one_colour_share_the_sets() {
        let l2 = cache(256 << 10, 8);
        let row = |pages: std::ops::Range<u64>| count(&l2, std::slice::from_ref(&pages));
        let full = row(5..69);
        assert_eq!(full, Footprint { pages: 64, capacity: 64, fullest: 8, ways: 8 });
        assert!(full.is_resident() && !row(5..70).is_resident());
        let apart: Vec<_> = (0..9).map(|page| page * 8..page * 8 + 1).collect();
        assert_eq!(count(&l2, &apart).fullest, 9);
    }

    /// A way of 2 KiB has each set twice in a page.
    #[test]
    fn a_way_may_be_smaller_than_a_page() {
        let small = cache(16 << 10, 8);
        let pages = 0..4;
        assert_eq!(
            count(&small, std::slice::from_ref(&pages)),
            Footprint { pages: 4, capacity: 4, fullest: 8, ways: 8 }
        );
    }
}
