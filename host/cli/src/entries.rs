// SPDX-License-Identifier: Apache-2.0
//! Checks that the application's objects define the functions that its description names. Without
//! this check the linker would accept a variable or a function of the C library, and would report a
//! missing function in the kernel's tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSymbol, SymbolKind};
use takt_model::{EntryFault, System};

use crate::analysed_system::AnalysedSystem;
use crate::failure::Failure;
use crate::image;

/// A symbol that an object defines.
struct Defined {
    /// The name of the source.
    source: String,
    is_function: bool,
    is_local: bool,
    /// Whether another definition of the same name replaces this one.
    is_weak: bool,
}

/// The symbols that the objects of the application define, by name.
type Symbols = BTreeMap<String, Vec<Defined>>;

/// Fails if a function that the description names is missing or is not a function. Returns Ok if an
/// object is missing, because then the build has failed before.
pub fn check(analysed: &AnalysedSystem, tree: &Path) -> Result<(), Failure> {
    let system = &analysed.system;
    let mut entries = takt_configure::all_functions(system);
    entries.retain(|entry| !entry.starts_with("takt_")); // a library's function
    check_objects(analysed, tree, "application", &system.sources, &entries)?;
    for (index, partition) in system.partitions.iter().enumerate() {
        let (library, sources) = (format!("partition_{}", partition.name), &partition.sources);
        let entries = takt_configure::partition_functions(system, index);
        check_objects(analysed, tree, &library, sources, &entries)?;
    }
    Ok(())
}

/// Checks the functions that one of CMake's libraries must define.
fn check_objects(
    analysed: &AnalysedSystem,
    tree: &Path,
    library: &str,
    sources: &[PathBuf],
    entries: &BTreeSet<&str>,
) -> Result<(), Failure> {
    let Some(symbols) = symbols(sources, &tree.join(format!("CMakeFiles/{library}.dir"))) else {
        return Ok(());
    };
    let faults: Vec<_> = entries.iter().filter_map(|entry| fault(entry, &symbols)).collect();
    let is_named = |(name, all): &(&String, &Vec<Defined>)| {
        !entries.contains(name.as_str()) && all.iter().any(|it| it.is_function)
    };
    let others: Vec<_> = symbols.iter().filter(is_named).map(|(name, _)| name.clone()).collect();
    let problems = System::entry_problems(&analysed.file, &faults, &others);
    problems.map_or(Ok(()), |problems| Err(Failure::problems(problems)))
}

fn fault(entry: &str, symbols: &Symbols) -> Option<EntryFault> {
    let name = entry.to_string();
    let all = symbols.get(entry).map_or(&[][..], Vec::as_slice);
    let mut global: Vec<_> = all.iter().filter(|it| !it.is_local).collect();
    global.sort_by_key(|it| it.is_weak);
    match (&global[..], all) {
        ([one, other, ..], _) if !other.is_weak => {
            Some(EntryFault::Twice(name, one.source.clone(), other.source.clone()))
        }
        ([one, ..], _) if one.is_function => None,
        ([one, ..], _) => Some(EntryFault::Data(name, one.source.clone())),
        ([], [one, ..]) if one.is_function => Some(EntryFault::Static(name, one.source.clone())),
        ([], _) => Some(EntryFault::Undefined(name)),
    }
}

/// Reads the symbols of all objects; None if an object is missing or cannot be read.
fn symbols(sources: &[PathBuf], folder: &Path) -> Option<Symbols> {
    let mut symbols = Symbols::new();
    for (source, bytes) in objects_in(sources, folder)? {
        let elf = image::parse_elf(&bytes).ok()?;
        for symbol in elf.symbols().filter(|symbol| symbol.is_definition()) {
            let Ok(name) = symbol.name() else { continue };
            let is_function =
                symbol.kind() == SymbolKind::Text || symbol.kind() == SymbolKind::Label;
            let (source, is_local, is_weak) = (source.clone(), symbol.is_local(), symbol.is_weak());
            let all = symbols.entry(name.to_string()).or_default();
            all.push(Defined { source, is_function, is_local, is_weak });
        }
    }
    Some(symbols)
}

/// The name of each source with the contents of its object; None if an object is missing.
pub fn objects(system: &System, tree: &Path) -> Option<Vec<(String, Vec<u8>)>> {
    objects_in(&system.sources, &tree.join("CMakeFiles/application.dir"))
}

fn objects_in(sources: &[PathBuf], folder: &Path) -> Option<Vec<(String, Vec<u8>)>> {
    let files = files(folder);
    let object = |source: &PathBuf| {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some((name, std::fs::read(object_of(source, &files)?).ok()?))
    };
    sources.iter().map(object).collect()
}

/// The object files in a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    found
}

/// Finds the object of a source: CMake names it after the source's path below the tree's folders,
/// with `.o` or `.obj` appended. Among objects of the same name, the one with the longest common
/// path is chosen.
fn object_of<'a>(source: &Path, objects: &'a [PathBuf]) -> Option<&'a PathBuf> {
    let name = source.file_name()?.to_string_lossy().into_owned();
    let is_own = |object: &&PathBuf| {
        let file = object.file_name().unwrap_or_default().to_string_lossy().into_owned();
        file == format!("{name}.o") || file == format!("{name}.obj")
    };
    let common = |object: &&PathBuf| {
        let folders = |path: &Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
        let (object, source) = (folders(object), folders(source));
        let pairs = object.components().rev().zip(source.components().rev());
        pairs.take_while(|(one, other)| one == other).count()
    };
    objects.iter().filter(is_own).max_by_key(common)
}
