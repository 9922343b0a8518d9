// SPDX-License-Identifier: Apache-2.0
//! Checks that the kernel has the services that the application calls, where its placement lacks
//! some. The linker would report a missing service as an undefined symbol of an object.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use object::{Object as _, ObjectSymbol};
use takt_model::{MissingService, Placement, System};

use crate::analysed_system::AnalysedSystem;
use crate::entries;
use crate::failure::Failure;
use crate::image;

/// Fails if a source calls a service that this kernel does not have. The link has failed: what it
/// drops may call anything. Returns Ok if an object is missing, because then the build has failed
/// before.
pub fn check(analysed: &AnalysedSystem, tree: &Path) -> Result<(), Failure> {
    if analysed.system.kernel.placement == Placement::Distributed {
        return Ok(());
    }
    let missing = missing(analysed, tree).unwrap_or_default();
    let problems = System::missing_service_problems(&analysed.file, &missing);
    problems.map_or(Ok(()), |problems| Err(Failure::problems(problems)))
}

/// The services that sources call and the kernel does not define, by name. None if a file cannot be
/// read.
fn missing(analysed: &AnalysedSystem, tree: &Path) -> Option<Vec<MissingService>> {
    let bytes = std::fs::read(tree.join("kernel.o")).ok()?;
    let kernel = image::parse_elf(&bytes).ok()?;
    let defined = kernel.symbols().filter(ObjectSymbol::is_definition);
    let defined: BTreeSet<_> = defined.filter_map(|symbol| symbol.name().ok()).collect();
    let services = services(&analysed.home)?;
    let mut missing = BTreeMap::<String, BTreeSet<String>>::new();
    for (source, bytes) in entries::objects(&analysed.system, tree)? {
        let elf = image::parse_elf(&bytes).ok()?;
        let names = elf.symbols().filter(|symbol| symbol.is_undefined());
        for name in names.filter_map(|symbol| symbol.name().ok()) {
            if services.contains(name) && !defined.contains(name) {
                missing.entry(name.to_string()).or_default().insert(source.clone());
            }
        }
    }
    let row = |(service, sources): (String, BTreeSet<String>)| MissingService {
        service,
        sources: sources.into_iter().collect(),
    };
    Some(missing.into_iter().map(row).collect())
}

/// The names of all services: the functions that the public headers declare.
fn services(home: &Path) -> Option<BTreeSet<String>> {
    let mut services = BTreeSet::new();
    for entry in home.join("include/takt").read_dir().ok()? {
        let text = std::fs::read_to_string(entry.ok()?.path()).ok()?;
        services.extend(called(&text).map(str::to_string));
    }
    Some(services)
}

/// The names beginning with `takt_` that stand before a parenthesis.
fn called(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.match_indices('(').map(move |(at, _)| {
        let before = &text[..at];
        before.rfind(|c| !is_name(c)).map_or(before, |end| &before[end + 1..])
    });
    words.filter(|word| word.starts_with("takt_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_functions_are_services() {
        let text =
            "/* takt_a */ takt_error takt_task_exit(void);\nint x(takt_id id);\ntakt_time t;";
        assert_eq!(called(text).collect::<Vec<_>>(), ["takt_task_exit"]);
        assert_eq!(called("(takt_b(").collect::<Vec<_>>(), ["takt_b"]);
    }
}
