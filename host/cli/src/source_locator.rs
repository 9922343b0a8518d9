// SPDX-License-Identifier: Apache-2.0
//! Finds the source line of the application at which a job is, from the debug information of its
//! image.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gimli::{Dwarf, EndianRcSlice, LittleEndian, SectionId};
use object::{Object as _, ObjectSection};
use takt_trace::CodePlace;

use crate::analysed_system::AnalysedSystem;
use crate::image::{self, Image};

type Bytes = EndianRcSlice<LittleEndian>;
type Lines = addr2line::Context<Bytes>;

/// The symbol relative to which the record gives code addresses.
const BASE: &str = "takt_text_start";
/// The folders of Polytakt's own sources that are compiled into an image.
const OWN: [&str; 5] = ["kernel", "arch", "drivers", "libraries", "include"];

pub struct SourceLocator<'a> {
    image: &'a Image,
    /// The path of Polytakt's tree; functions in it do not belong to the application.
    home: &'a Path,
    /// The directory of the description.
    directory: PathBuf,
    /// The debug information, read on first use; None if the image has none.
    lines: OnceCell<Option<Lines>>,
}

impl<'a> SourceLocator<'a> {
    pub fn new(analysed: &'a AnalysedSystem, image: &'a Image) -> SourceLocator<'a> {
        let directory = analysed.file.parent().unwrap_or(Path::new("")).to_path_buf();
        SourceLocator { image, home: &analysed.home, directory, lines: OnceCell::new() }
    }

    /// The innermost function with a line outside of Polytakt's sources, or else the innermost
    /// function outside of them.
    pub fn in_application(&self, offsets: &[u32]) -> Option<CodePlace> {
        let base = self.image.address_of(BASE)?;
        // The addresses of partitions lie before the kernel's text.
        let addresses =
            offsets.iter().map(|offset| base.wrapping_add_signed(i64::from(*offset as i32)));
        let frames: Vec<CodePlace> = addresses.flat_map(|address| self.frames(address)).collect();
        let outside = || frames.iter().filter(|frame| !self.is_own(frame));
        let found = outside().find(|frame| frame.line.is_some()).or_else(|| outside().next());
        found.cloned().map(|frame| self.shortened(frame))
    }

    /// The innermost function at an address, if its file is known and none of Polytakt's.
    pub fn application_at(&self, address: u64) -> Option<CodePlace> {
        let innermost = self.frames(address).into_iter().next()?;
        let is_application = innermost.file.is_some() && !self.is_own(&innermost);
        is_application.then(|| self.shortened(innermost))
    }

    /// Whether the function that is compiled at an address, whatever is inlined into it, is of a known file and none of
    /// Polytakt's.
    pub fn outermost_is_application(&self, address: u64) -> bool {
        self.frames(address).last().is_some_and(|it| it.file.is_some() && !self.is_own(it))
    }

    /// The functions at an address: the innermost inlined function first, then those that it is
    /// inlined into.
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

/// Reads the debug information. Returns None if there is none or if it cannot be read; then only
/// the names of functions are reported.
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
