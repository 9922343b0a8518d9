// SPDX-License-Identifier: Apache-2.0
//! Reads a program: an ELF file, or a raw binary.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use object::LittleEndian;
use object::elf::{
    ELFCLASS64, ELFDATA2LSB, ELFMAG, EM_RISCV, ET_EXEC, FileHeader64, PT_LOAD, SHN_UNDEF,
    SHT_SYMTAB, STT_FUNC, STT_NOTYPE, STT_OBJECT,
};
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use thiserror::Error;

use super::Piece;

const LE: LittleEndian = LittleEndian;
type Header = FileHeader64<LittleEndian>;

/// A program, at physical addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub pieces: Vec<Piece>,
    /// What it takes of RAM, with what it wants to find zero.
    pub occupied: Vec<Range<u64>>,
    pub entry: u64,
    /// Functions, data and labels by (virtual) address.
    pub symbols: Vec<Symbol>,
    /// Doublewords of test programs.
    pub tohost: Option<u64>,
    pub fromhost: Option<u64>,
    /// From `begin_signature` to `end_signature`.
    pub signature: Option<Range<u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub address: u64,
    pub size: u64,
    pub name: String,
}

#[derive(Debug, Error)]
pub enum LoadError {
    #[error("cannot read {file}: {source}")]
    Read { file: String, source: io::Error },
    #[error("{file} is empty")]
    Empty { file: String },
    #[error("{file} is a device; name a file")]
    Device { file: String },
    #[error("{file} is damaged or cut short: {why}; build or copy it again")]
    Damaged { file: String, why: String },
    #[error("{file} is for another machine: {why}; the board runs little-endian RV64 programs")]
    Machine { file: String, why: String },
    #[error("{file} is no program: {why}; link it")]
    Kind { file: String, why: String },
    #[error(
        "{file}: {what} at {start:#x} to {end:#x} is not in RAM, which is {ram}; \
         link it there or give the board more memory"
    )]
    Outside { file: String, what: String, start: u64, end: u64, ram: String },
    #[error("{file}: the segments at {first:#x} and {second:#x} overlap; mend its linker script")]
    Overlap { file: String, first: u64, second: u64 },
    #[error("{file}: the entry {entry:#x} is in none of its segments; mend its linker script")]
    Entry { file: String, entry: u64 },
}

/// Reads the file; `raw` is where one that is no ELF goes, and begins.
pub fn read(path: &Path, ram: &[Range<u64>], raw: u64) -> Result<Program, LoadError> {
    parse(&path.display().to_string(), &read_file(path)?, ram, raw)
}

pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    let bytes = contents(path)?;
    if bytes.is_empty() {
        return Err(LoadError::Empty { file: path.display().to_string() });
    }
    Ok(bytes)
}

/// All that a file holds, or a pipe brings. A device may never end.
pub fn contents(path: &Path) -> Result<Vec<u8>, LoadError> {
    let file = || path.display().to_string();
    let failed = |source| LoadError::Read { file: file(), source };
    let mut opened = File::open(path).map_err(failed)?;
    let kind = opened.metadata().map_err(failed)?.file_type();
    if kind.is_char_device() || kind.is_block_device() {
        return Err(LoadError::Device { file: file() });
    }
    let mut bytes = Vec::new();
    opened.read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

pub(super) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&ELFMAG)
}

/// [`read`] of bytes; `file` names them in errors.
pub fn parse(file: &str, bytes: &[u8], ram: &[Range<u64>], raw: u64) -> Result<Program, LoadError> {
    if bytes.is_empty() {
        return Err(LoadError::Empty { file: file.into() });
    }
    // A file that is cut within these bytes is an ELF file, too.
    if bytes.iter().zip(&ELFMAG).all(|(byte, magic)| byte == magic) {
        return Elf { file, bytes, ram }.program();
    }
    let range = in_ram(file, "the binary", raw, bytes.len() as u64, ram)?;
    Ok(Program {
        pieces: vec![Piece { address: raw, bytes: bytes.to_vec() }],
        occupied: vec![range],
        entry: raw,
        symbols: Vec::new(),
        tohost: None,
        fromhost: None,
        signature: None,
    })
}

/// The range, if one RAM holds all of it.
pub(super) fn in_ram(
    file: &str,
    what: &str,
    start: u64,
    size: u64,
    ram: &[Range<u64>],
) -> Result<Range<u64>, LoadError> {
    let end = start.checked_add(size);
    match end.filter(|&end| ram.iter().any(|ram| ram.start <= start && end <= ram.end)) {
        Some(end) => Ok(start..end),
        None => {
            let shown: Vec<String> =
                ram.iter().map(|ram| format!("{:#x} to {:#x}", ram.start, ram.end)).collect();
            Err(LoadError::Outside {
                file: file.into(),
                what: what.into(),
                start,
                end: start.saturating_add(size),
                ram: shown.join(", "),
            })
        }
    }
}

struct Elf<'a> {
    file: &'a str,
    bytes: &'a [u8],
    ram: &'a [Range<u64>],
}

/// A loaded segment's virtual and physical addresses.
struct Segment {
    virt: u64,
    phys: Range<u64>,
}

impl Elf<'_> {
    fn damaged(&self, why: impl ToString) -> LoadError {
        LoadError::Damaged { file: self.file.into(), why: why.to_string() }
    }

    fn program(&self) -> Result<Program, LoadError> {
        let header = self.header()?;
        let (segments, pieces) = self.segments(header)?;
        let symbols = self.symbols(header)?;
        let entry = header.e_entry(LE);
        let outside = || LoadError::Entry { file: self.file.into(), entry };
        let physical = |name: &str| {
            let symbol = symbols.iter().find(|symbol| symbol.name == name)?;
            // An end may be where its segment ends.
            physical(&segments, symbol.address, true)
        };
        let signature = physical("begin_signature").zip(physical("end_signature"));
        Ok(Program {
            entry: physical_entry(&segments, entry).ok_or_else(outside)?,
            tohost: physical("tohost"),
            fromhost: physical("fromhost"),
            signature: signature.filter(|(begin, end)| begin <= end).map(|(begin, end)| begin..end),
            occupied: segments.into_iter().map(|segment| segment.phys).collect(),
            pieces,
            symbols,
        })
    }

    fn header(&self) -> Result<&Header, LoadError> {
        let machine = |why: &str| LoadError::Machine { file: self.file.into(), why: why.into() };
        let [class, data] = *self.bytes.get(4..6).ok_or_else(|| self.damaged("no ELF header"))?
        else {
            return Err(self.damaged("no ELF header"));
        };
        if class != ELFCLASS64 {
            return Err(machine("it is no 64-bit ELF file"));
        }
        if data != ELFDATA2LSB {
            return Err(machine("it is big-endian"));
        }
        let header = Header::parse(self.bytes).map_err(|error| self.damaged(error))?;
        if header.e_machine(LE) != EM_RISCV {
            return Err(machine(&format!("its ELF machine is {}", header.e_machine(LE))));
        }
        if header.e_type(LE) != ET_EXEC {
            let why = format!("its ELF type is {}, not an executable", header.e_type(LE));
            return Err(LoadError::Kind { file: self.file.into(), why });
        }
        Ok(header)
    }

    fn segments(&self, header: &Header) -> Result<(Vec<Segment>, Vec<Piece>), LoadError> {
        let headers = header.program_headers(LE, self.bytes).map_err(|e| self.damaged(e))?;
        let (mut segments, mut pieces) = (Vec::new(), Vec::new());
        for (number, segment) in headers.iter().enumerate() {
            let (address, size) = (segment.p_paddr(LE), segment.p_memsz(LE));
            if segment.p_type(LE) != PT_LOAD || size == 0 {
                continue;
            }
            let what = format!("segment {number}");
            if segment.p_filesz(LE) > size {
                return Err(self.damaged(format!("{what} has more bytes in the file than in RAM")));
            }
            let bytes = segment.data(LE, self.bytes).map_err(|()| {
                let (start, size) = segment.file_range(LE);
                let end = start.saturating_add(size);
                let length = self.bytes.len();
                self.damaged(format!(
                    "{what} is its bytes {start:#x} to {end:#x}, but it has {length:#x}"
                ))
            })?;
            let phys = in_ram(self.file, &what, address, size, self.ram)?;
            segments.push(Segment { virt: segment.p_vaddr(LE), phys });
            if !bytes.is_empty() {
                pieces.push(Piece { address, bytes: bytes.to_vec() });
            }
        }
        if segments.is_empty() {
            let why = "it has nothing to load".into();
            return Err(LoadError::Kind { file: self.file.into(), why });
        }
        self.check_overlaps(&segments)?;
        Ok((segments, pieces))
    }

    fn check_overlaps(&self, segments: &[Segment]) -> Result<(), LoadError> {
        let mut ranges: Vec<_> = segments.iter().map(|segment| segment.phys.clone()).collect();
        ranges.sort_by_key(|range| range.start);
        match ranges.windows(2).find(|pair| pair[0].end > pair[1].start) {
            Some(pair) => Err(LoadError::Overlap {
                file: self.file.into(),
                first: pair[0].start,
                second: pair[1].start,
            }),
            None => Ok(()),
        }
    }

    /// Defined symbols with names that people gave; none if the file was stripped.
    fn symbols(&self, header: &Header) -> Result<Vec<Symbol>, LoadError> {
        let sections = header.sections(LE, self.bytes).map_err(|error| self.damaged(error))?;
        let table = sections.symbols(LE, self.bytes, SHT_SYMTAB).map_err(|e| self.damaged(e))?;
        let mut symbols = Vec::new();
        for symbol in table.iter() {
            let kind = symbol.st_type();
            let named = matches!(kind, STT_NOTYPE | STT_FUNC | STT_OBJECT);
            if !named || symbol.st_shndx(LE) == SHN_UNDEF {
                continue;
            }
            let name = table.symbol_name(LE, symbol).map_err(|error| self.damaged(error))?;
            let name = String::from_utf8_lossy(name).into_owned();
            // The assembler's own: mapping symbols and local labels.
            if !name.is_empty() && !name.starts_with(['$', '.']) {
                let (address, size) = (symbol.st_value(LE), symbol.st_size(LE));
                symbols.push(Symbol { address, size, name });
            }
        }
        symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        Ok(symbols)
    }
}

fn physical(segments: &[Segment], address: u64, end_too: bool) -> Option<u64> {
    segments.iter().find_map(|segment| {
        let offset = address.checked_sub(segment.virt)?;
        let size = segment.phys.end - segment.phys.start;
        (offset < size || end_too && offset == size).then(|| segment.phys.start + offset)
    })
}

/// Before translation is on, the entry is where its segment was loaded. Some linker scripts give
/// it as a physical address already.
fn physical_entry(segments: &[Segment], entry: u64) -> Option<u64> {
    physical(segments, entry, false)
        .or_else(|| segments.iter().any(|s| s.phys.contains(&entry)).then_some(entry))
}
