// SPDX-License-Identifier: Apache-2.0
//! Reads an image: where its record lies, its build ID, its functions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use object::elf::FileHeader64;
use object::read::elf::{ElfFile, ProgramHeader};
use object::{LittleEndian, Object as _, ObjectSection, ObjectSymbol, SymbolKind};
use takt_board::boot::load::contents;
use takt_record::BuildId;

use crate::failure::Failure;

type Elf<'a> = ElfFile<'a, FileHeader64<LittleEndian>>;

#[derive(Clone, Debug)]
pub struct Image {
    pub path: PathBuf,
    pub build_id: BuildId,
    /// Physical address of the record once the image is loaded.
    pub record: u64,
    /// The functions in ascending order of their addresses, one for each address.
    pub functions: Vec<Function>,
    /// The sections that occupy memory, in the order of the file.
    pub sections: Vec<Section>,
    /// All other named addresses by name: data, and symbols that the linker script defines.
    pub objects: HashMap<String, Object>,
}

#[derive(Clone, Copy, Debug)]
pub struct Object {
    pub address: u64,
    pub size: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub address: u64,
    pub name: String,
}

#[derive(Clone, Debug)]
pub struct Section {
    pub name: String,
    pub size: u64,
}

impl Image {
    pub fn read(path: &Path) -> Result<Image, Failure> {
        let bytes = contents(path)
            .map_err(|error| Failure::tool(error, "check that the place exists and may be used"))?;
        Self::parse(path, &bytes).map_err(|why| {
            let message = format!("{} is no image of Polytakt: {why}", path.display());
            Failure::tool(message, "build the system again with takt build")
        })
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Image, String> {
        let elf = parse_elf(bytes)?;
        let address = symbol(&elf, "takt_record")?;
        let build_id = elf.build_id().ok().flatten().ok_or("it has no build ID")?;
        Ok(Image {
            path: path.to_path_buf(),
            build_id: build_id.try_into().map_err(|_| "its build ID is no SHA-1")?,
            record: physical(&elf, address).ok_or("takt_record lies in no segment")?,
            functions: functions(&elf),
            sections: sections(&elf),
            objects: objects(&elf),
        })
    }

    /// The function that contains an address and the offset from it, as `name+0x14`.
    pub fn place(&self, address: u64) -> Option<String> {
        let function = self.function_at(address)?;
        Some(format!("{}+{:#x}", function.name, address - function.address))
    }

    pub fn function_at(&self, address: u64) -> Option<&Function> {
        let after = self.functions.partition_point(|function| function.address <= address);
        let function = self.functions.get(after.checked_sub(1)?)?;
        (address - function.address < 1 << 20).then_some(function)
    }

    /// The object that contains an address and the offset from its beginning, as `name` or `name+0x14`.
    pub fn object_at(&self, address: u64) -> Option<String> {
        let inside = |object: &Object| {
            address.checked_sub(object.address).filter(|offset| *offset < object.size)
        };
        let mut all = self.objects.iter().filter_map(|(name, it)| Some((name, inside(it)?)));
        let (name, offset) = all.next()?;
        Some(if offset == 0 { name.clone() } else { format!("{name}+{offset:#x}") })
    }

    /// The physical address, once the image is loaded, of what is linked at `address`, which has no home: all such memory
    /// is as far from its linked address as the record.
    pub fn physical(&self, address: u64) -> Option<u64> {
        let linked = self.address_of("takt_record")?;
        Some(address.wrapping_sub(linked).wrapping_add(self.record))
    }

    /// The address of a symbol, whether it is code or not.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        let object = self.objects.get(name).map(|object| object.address);
        let mut functions = self.functions.iter().filter(|function| function.name == name);
        object.or_else(|| functions.next().map(|function| function.address))
    }
}

pub fn parse_elf(bytes: &[u8]) -> Result<Elf<'_>, String> {
    let elf = Elf::parse(bytes).map_err(|error| format!("{error}"))?;
    match elf.architecture() {
        object::Architecture::Riscv64 => Ok(elf),
        other => Err(format!("it is for {other:?}, not for RV64")),
    }
}

pub fn symbol(elf: &Elf, name: &str) -> Result<u64, String> {
    let found = elf.symbol_by_name(name);
    found.map(|symbol| symbol.address()).ok_or_else(|| format!("it has no symbol {name}"))
}

/// The named code of an image in ascending order of the addresses, one name for each address:
/// functions, and labels of assembler files that are not marked as functions.
pub fn functions(elf: &Elf) -> Vec<Function> {
    let mut found: Vec<_> = elf
        .symbols()
        .filter(|symbol| is_code(elf, symbol))
        .filter_map(|symbol| {
            let label = symbol.kind() != SymbolKind::Text;
            let name = own_name(symbol.name().ok()?).to_string();
            Some((symbol.address(), label, symbol.is_local(), name))
        })
        .collect();
    // Among names of one address, a function comes before a label and a global symbol before a
    // local one.
    found.sort();
    found.dedup_by_key(|(address, ..)| *address);
    found.into_iter().map(|(address, _, _, name)| Function { address, name }).collect()
}

/// The name without the suffix by which GCC distinguishes functions of the same name when it
/// compiles files as a whole.
fn own_name(name: &str) -> &str {
    name.split_once(".lto_priv.").map_or(name, |(own, _)| own)
}

fn is_code<'a>(elf: &Elf<'a>, symbol: &impl ObjectSymbol<'a>) -> bool {
    let in_code = || {
        let section = symbol.section_index().and_then(|index| elf.section_by_index(index).ok());
        section.is_some_and(|section| section.kind() == object::SectionKind::Text)
    };
    let name = symbol.name().unwrap_or_default();
    match symbol.kind() {
        SymbolKind::Text => symbol.is_definition() && !name.is_empty(),
        // Mapping symbols ($x) and the assembler's own labels (.L0) are not names of code.
        SymbolKind::Label | SymbolKind::Unknown => {
            !name.is_empty() && !name.starts_with(['.', '$']) && in_code()
        }
        _ => false,
    }
}

fn sections(elf: &Elf) -> Vec<Section> {
    let taking_memory = elf.sections().filter(|section| section.address() != 0);
    let section = |section: object::read::elf::ElfSection64<'_, '_, LittleEndian>| {
        Some(Section { name: section.name().ok()?.to_string(), size: section.size() })
    };
    taking_memory.filter_map(section).collect()
}

fn objects(elf: &Elf) -> HashMap<String, Object> {
    let others = elf.symbols().filter(|symbol| symbol.kind() != SymbolKind::Text);
    let object = |symbol: &object::read::elf::ElfSymbol64<'_, '_, LittleEndian>| Object {
        address: symbol.address(),
        size: symbol.size(),
    };
    others.filter_map(|it| Some((it.name().ok()?.to_string(), object(&it)))).collect()
}

/// The physical address at which QEMU loads what is linked at `address`.
fn physical(elf: &Elf, address: u64) -> Option<u64> {
    elf.elf_program_headers().iter().find_map(|segment| {
        let start = segment.p_vaddr(LittleEndian);
        let inside = address.checked_sub(start)? < segment.p_memsz(LittleEndian);
        (segment.p_type(LittleEndian) == object::elf::PT_LOAD && inside)
            .then(|| segment.p_paddr(LittleEndian) + (address - start))
    })
}
