// SPDX-License-Identifier: Apache-2.0
//! Finds data races of the application between cores: `takt run --races`. The board's observer gives every access of a run,
//! and a clock of each core (a vector of all cores' steps) says which accesses are ordered. The rules of order are those
//! that RISC-V's fences and atomic instructions give; docs/design/races.md has the argument.

mod clock;
mod detector;

use std::ops::Range;
use std::sync::{Arc, Mutex};

use takt_board::engine::Machine;
use takt_board::engine::observe::Access;
use takt_trace::CodePlace;

use crate::image::Image;
use crate::source_locator::SourceLocator;

use detector::Detector;
pub use detector::Race;

/// The places that are printed; one mistake often has many.
const SHOWN: usize = 20;

pub struct Races(Arc<Mutex<Detector>>);

impl Races {
    /// Observes the machine, which has to step strictly: so accesses come in their order.
    pub fn begin(machine: &mut Machine, image: &Image, locator: &SourceLocator) -> Races {
        let detector = Detector::new(machine.units.len(), application(image, locator));
        let races = Arc::new(Mutex::new(detector));
        let mine = races.clone();
        machine.observe(Some(Box::new(move |access: &Access| {
            if let Ok(mut detector) = mine.lock() {
                detector.take(access);
            }
        })));
        Races(races)
    }

    /// The races, those that happened most often first, without those of an inlined function of Polytakt.
    pub fn found(&self, locator: &SourceLocator) -> Vec<(Race, [CodePlace; 2])> {
        let Ok(mut detector) = self.0.lock() else { return Vec::new() };
        detector.end();
        let place = |pc| locator.application_at(pc);
        let both = |race: &Race| Some([place(race.earlier.pc)?, place(race.later.pc)?]);
        let mut found: Vec<_> =
            detector.races().filter_map(|race| Some((race.clone(), both(race)?))).collect();
        found.sort_by_key(|(race, _)| (std::cmp::Reverse(race.count), race.earlier.pc));
        found
    }

    /// How many accesses of the application were compared.
    pub fn compared(&self) -> u64 {
        self.0.lock().map_or(0, |detector| detector.compared)
    }
}

/// The code whose accesses are compared: functions of sources that are not Polytakt's own, as far as the image has debug
/// information of them.
fn application(image: &Image, locator: &SourceLocator) -> Vec<Range<u64>> {
    let ends = image.functions.iter().skip(1).map(|next| next.address).chain([u64::MAX]);
    let all = image.functions.iter().zip(ends);
    let own = all.filter(|(function, _)| locator.outermost_is_application(function.address));
    own.map(|(function, end)| function.address..end).collect()
}

/// The text below the table of a run.
pub fn lines(found: &[(Race, [CodePlace; 2])], compared: u64, image: &Image) -> String {
    if found.is_empty() {
        return format!("races: none among {compared} accesses of the application\n");
    }
    let mut text =
        format!("races: {} pairs of places access the same memory unordered\n", found.len());
    for (race, [earlier, later]) in found.iter().take(SHOWN) {
        let object = image.object_at(race.address);
        let what = object.unwrap_or_else(|| format!("memory at {:#x}", race.address));
        text += &format!(
            "- {what}: {} {} on core {}, {} {} on core {}; {} times\n",
            race.earlier.word(),
            earlier.words(),
            race.earlier.core,
            race.later.word(),
            later.words(),
            race.later.core,
            race.count
        );
    }
    if found.len() > SHOWN {
        text += &format!("- {} pairs more\n", found.len() - SHOWN);
    }
    text
}
