// SPDX-License-Identifier: Apache-2.0
//! Tests that images stay within the budgets of `tests/size/budgets.toml`.

mod common;

use std::path::{Path, PathBuf};

use common::takt::{ended, takt};
use object::{Object as _, ObjectSymbol};

/// The numbers in the column `column` of the table whose header begins with `table`.
fn figures(text: &str, table: &str, column: &str) -> Vec<u64> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(table));
    let header = lines.next().unwrap_or_else(|| panic!("no table of {table}s:\n{text}"));
    let place = header.split_whitespace().position(|word| word == column).unwrap();
    // A line of dashes follows, then the rows, then a sentence or nothing.
    let rows = lines.skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.map_while(|row| row.get(place)?.parse().ok()).collect()
}

#[test]
fn images_stay_within_their_budgets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let budgets = std::fs::read_to_string(root.join("tests/size/budgets.toml")).unwrap();
    let budgets: toml::Table = budgets.parse().unwrap();
    for image in budgets["image"].as_array().unwrap() {
        let system = image["system"].as_str().unwrap();
        let size = ended(takt(&["size", system], &root));
        assert_eq!(size.code, 0, "{}", size.stderr);
        let text = size.stdout.lines().find_map(|line| line.strip_prefix(".text")).unwrap();
        let found = [
            ("text", vec![text.trim().parse().unwrap()]),
            ("task", figures(&size.stdout, "task", "together")),
            ("core", figures(&size.stdout, "core", "together")),
        ];
        for (part, figures) in found {
            let budget = image[part].as_integer().unwrap() as u64;
            let largest = figures.into_iter().max().unwrap();
            assert!(largest <= budget, "{system}: {part} has {largest} bytes of {budget}");
        }
    }
}

/// Adds up the bytes of the functions of an image whose names the budget lists; each must be there
/// in one of the images.
fn functions(images: &[PathBuf], names: &toml::Value) -> u64 {
    let mut sum = 0;
    for name in names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()) {
        let sizes = images.iter().filter_map(|image| {
            let bytes = std::fs::read(image).unwrap();
            let elf = object::File::parse(&*bytes).unwrap();
            let is_it = |symbol: &object::Symbol| {
                let found = symbol.name().unwrap_or_default();
                found == name || found.starts_with(&format!("{name}."))
            };
            elf.symbols().filter(is_it).map(|symbol| symbol.size()).max()
        });
        sum += sizes.max().unwrap_or_else(|| panic!("no image has the function {name}"));
    }
    sum
}

/// The director of all types, and the scheduler, of the library `dataflow`: the sizes of Table 7 of
/// the paper.
#[test]
fn directors_and_schedulers_stay_within_their_budgets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let budgets = std::fs::read_to_string(root.join("tests/size/budgets.toml")).unwrap();
    let budgets: toml::Table = budgets.parse().unwrap();
    let graph = &budgets["dataflow"];
    let built = ended(takt(&["build", graph["system"].as_str().unwrap()], &root));
    assert_eq!(built.code, 0, "{}", built.stderr);
    let image = PathBuf::from(built.stdout.trim());
    let worker = |number| image.with_file_name(format!("libraries/dataflow/worker.{number}"));
    let images = [image.clone(), worker(1), worker(2)];
    for part in ["director", "scheduler"] {
        let found = functions(&images, &graph[format!("{part}_functions")]);
        let budget = graph[part].as_integer().unwrap() as u64;
        println!("{part}: {found} bytes of {budget}");
        assert!(found <= budget, "{part} has {found} bytes of {budget}");
    }
}
