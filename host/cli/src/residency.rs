// SPDX-License-Identifier: Apache-2.0
//! Which pages of an image a core may touch after time 0, and whether its second-level cache has a place for each of their
//! lines. See docs/design/residency.md.

use std::collections::BTreeSet;
use std::ops::Range;

use takt_analysis::Residency;
use takt_configure::LINK_BASE;
use takt_configure::residency::{self, Piece};
use takt_model::timing::Cache;
use takt_model::{Activation, Assignment, System};

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
    let cache = residency::cache_of(system, core)?;
    Ok(count(&cache, &pages(system, assignments, image, core)))
}

/// The physical pages of a core's footprint, as ranges of page numbers.
pub fn pages(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
    core: u32,
) -> Vec<Range<u64>> {
    let own = residency::pieces(system, assignments, core);
    let mut pages: Vec<_> = own.iter().map(|piece| pages_of(system, image, piece)).collect();
    let tables = at(image, "takt_page_tables");
    pages.push(range(system, tables, tables + used_tables(image) * PAGE));
    let others = (0..system.cores).filter(|other| *other != core);
    pages.extend(others.filter_map(|other| reached(system, image, core, other)));
    merged(pages)
}

/// What a core may touch of another's own part: all where it is the console's core, which looks into the rings; else, where
/// a core may ask something of another, all but the ring and the heap of timers.
fn reached(system: &System, image: &Image, core: u32, other: u32) -> Option<Range<u64>> {
    let start = at(image, &format!("takt_core{other}_start"));
    let end = match (core == system.kernel.console_core, asks_other_cores(system, image)) {
        (true, _) => residency::end_of_own_part(system, other),
        (false, true) => format!("takt_core{other}_reached"),
        (false, false) => return None,
    };
    Some(range(system, start, at(image, &end)))
}

/// The services that touch nothing of other cores' own parts, and have no other core do anything. Those that end the system
/// are among them: no bound holds after that.
const ALONE: [&str; 19] = [
    "takt_assert",
    "takt_buffer_read",
    "takt_buffer_write",
    "takt_console_write",
    "takt_context_is_handler",
    "takt_core_self",
    "takt_cpu_lock",
    "takt_cpu_locked",
    "takt_cpu_unlock",
    "takt_dispatch_disable",
    "takt_dispatch_disabled",
    "takt_dispatch_enable",
    "takt_interrupt_registers",
    "takt_panic",
    "takt_system_shutdown",
    "takt_task_exit",
    "takt_task_release_time",
    "takt_task_self",
    "takt_time_now",
];

/// Symbols of the linker script that count as functions, as they stand in the text.
const MARKERS: [&str; 3] = ["takt_image_start", "takt_text_start", "takt_text_end"];

/// Whether a core may ask something of another, or touch what is another's: whether the image has a service by which it could,
/// or tasks may change their core.
pub fn asks_other_cores(system: &System, image: &Image) -> bool {
    asked(image).is_some()
        || system.kernel.idle_pull.is_some()
        || system.tasks.iter().any(|task| !task.cores.is_empty())
}

/// A service of the image by which a core could ask something of another, or touch what is another's.
fn asked(image: &Image) -> Option<&str> {
    let is_service = |name: &str| name.starts_with("takt_") && !MARKERS.contains(&name);
    let mut names = image.functions.iter().map(|function| &function.name[..]);
    names.find(|name| is_service(name) && !ALONE.contains(name))
}

/// What the image says of the whole system: that the cache of each core that has bounds keeps all that the core touches, and
/// that no core asks anything of another. The error says what is in the way.
pub fn of_system(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
) -> Result<Residency, String> {
    if let Some(service) = asked(image) {
        return Err(format!(
            "the application calls {service}, by which a core may ask something of another"
        ));
    }
    if asks_other_cores(system, image) {
        return Err("tasks may change their core".into());
    }
    let bounded = system.tasks.iter().zip(assignments);
    let bounded = bounded.filter(|(task, _)| task.activation != Activation::Aperiodic);
    let cores: BTreeSet<_> = bounded.map(|(_, place)| place.core).collect();
    for core in cores {
        let found = footprint(system, assignments, image, core);
        let found = found.map_err(|why| format!("of core {core} it is not known: {why}"))?;
        if !found.is_resident() {
            return Err(format!(
                "the cache of core {core} does not hold all that the core touches (takt size)"
            ));
        }
    }
    let writes_to_console = image.address_of("takt_console_write").is_some();
    Ok(Residency { writes_to_console })
}

fn at(image: &Image, name: &str) -> u64 {
    image.address_of(name).unwrap_or(0)
}

/// The pages of linked addresses that are no stack's.
fn range(system: &System, start: u64, end: u64) -> Range<u64> {
    let physical = |address: u64| system.board.load + (address - LINK_BASE);
    physical(start) / PAGE..physical(end).div_ceil(PAGE)
}

fn pages_of(system: &System, image: &Image, piece: &Piece) -> Range<u64> {
    let [start, end] = [&piece.start, &piece.end].map(|(name, offset)| at(image, name) + offset);
    match piece.stack {
        None => range(system, start, end),
        // Stacks follow the image; the pages between them take addresses only.
        Some(offset) => {
            let first = at(image, "takt_image_end") + offset;
            range(system, first, first + (end - start))
        }
    }
}

/// The same pages, each once, in ranges as long as possible.
fn merged(mut pages: Vec<Range<u64>>) -> Vec<Range<u64>> {
    pages.sort_by_key(|range| range.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in pages {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// The tables that the boot takes: one for each 2 MiB of addresses, and the others.
fn used_tables(image: &Image) -> u64 {
    let names = image.objects.iter();
    let tops = names.filter(|(name, _)| name.starts_with("takt_stack_") && name.ends_with("_top"));
    let end = tops.map(|(_, object)| object.address).max().unwrap_or(LINK_BASE);
    (end - LINK_BASE).div_ceil(2 << 20) + OTHER_TABLES
}

fn count(cache: &Cache, pages: &[Range<u64>]) -> Footprint {
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
        let row = |pages: Range<u64>| count(&l2, std::slice::from_ref(&pages));
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
