// SPDX-License-Identifier: Apache-2.0
//! Finds the line of an application's source at which a job is, by the debug information of its image.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gimli::{Dwarf, EndianRcSlice, LittleEndian, SectionId};
use object::{Object as _, ObjectSection};
use takt_trace::CodePlace;

use crate::image::{self, Image};
use crate::plan::Plan;

type Bytes = EndianRcSlice<LittleEndian>;
type Lines = addr2line::Context<Bytes>;

/// The symbol that offsets in the record count from.
const BASE: &str = "takt_text_start";
/// Polytakt's own folders that an image's code comes from.
const OWN: [&str; 5] = ["kernel", "arch", "drivers", "libraries", "include"];

pub struct Places<'a> {
    image: &'a Image,
    /// Polytakt's tree, whose functions are no application's.
    home: &'a Path,
    /// The directory of the description.
    directory: PathBuf,
    /// Read when it is first needed; None: the image has no debug information.
    lines: OnceCell<Option<Lines>>,
}

impl<'a> Places<'a> {
    pub fn new(plan: &'a Plan, image: &'a Image) -> Places<'a> {
        let directory = plan.file.parent().unwrap_or(Path::new("")).to_path_buf();
        Places { image, home: &plan.home, directory, lines: OnceCell::new() }
    }

    /// The innermost place in the application's own source, else the innermost outside of Polytakt's.
    pub fn of_application(&self, offsets: &[u32]) -> Option<CodePlace> {
        let base = self.image.address_of(BASE)?;
        let addresses = offsets.iter().map(|offset| base + u64::from(*offset));
        let frames: Vec<CodePlace> = addresses.flat_map(|address| self.frames(address)).collect();
        let outside = || frames.iter().filter(|frame| !self.is_own(frame));
        let found = outside().find(|frame| frame.line.is_some()).or_else(|| outside().next());
        found.cloned().map(|frame| self.shortened(frame))
    }

    /// The function at an address, from the inside those that it is inlined in.
    fn frames(&self, address: u64) -> Vec<CodePlace> {
        let lines = self.lines.get_or_init(|| lines_of(&self.image.path)).as_ref();
        let found = lines.map_or(Vec::new(), |lines| frames(lines, address).unwrap_or_default());
        match found.is_empty() {
            true => self.symbol(address).into_iter().collect(),
            false => found,
        }
    }

    fn symbol(&self, address: u64) -> Option<CodePlace> {
        let function = self.image.function_at(address)?.name.clone();
        Some(CodePlace { function, file: None, line: None })
    }

    fn is_own(&self, frame: &CodePlace) -> bool {
        let file = frame.file.as_ref().map(Path::new);
        let inside = file.and_then(|file| file.strip_prefix(self.home).ok());
        inside.is_some_and(|file| OWN.iter().any(|folder| file.starts_with(folder)))
    }

    fn shortened(&self, frame: CodePlace) -> CodePlace {
        let relative = |file: String| match Path::new(&file).strip_prefix(&self.directory) {
            Ok(inside) => inside.display().to_string(),
            Err(_) => file,
        };
        CodePlace { file: frame.file.map(relative), ..frame }
    }
}

fn frames(lines: &Lines, address: u64) -> Result<Vec<CodePlace>, gimli::Error> {
    let mut found = Vec::new();
    let mut frames = lines.find_frames(address).skip_all_loads()?;
    while let Some(frame) = frames.next()? {
        let Some(function) = frame.function else { continue };
        let location = frame.location.as_ref();
        found.push(CodePlace {
            function: function.raw_name()?.into_owned(),
            file: location.and_then(|it| it.file).map(str::to_string),
            line: location.and_then(|it| it.line),
        });
    }
    Ok(found)
}

/// None: there is no debug information, or it cannot be read; the functions' names are left then.
fn lines_of(path: &Path) -> Option<Lines> {
    let bytes = std::fs::read(path).ok()?;
    let elf = image::parse_elf(&bytes).ok()?;
    let section = |id: SectionId| {
        let section = elf.section_by_name(id.name());
        let data = section.and_then(|it| it.uncompressed_data().ok()).unwrap_or_default();
        Ok::<_, gimli::Error>(Bytes::new(Rc::from(&*data), LittleEndian))
    };
    Lines::from_dwarf(Dwarf::load(section).ok()?).ok()
}
