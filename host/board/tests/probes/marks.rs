// SPDX-License-Identifier: Apache-2.0
//! Each figure of a board's file says where it is from, or that it is assumed: on its line, or at the head of
//! its table.

use std::path::Path;

/// No figures, or of a source that the table names.
const NO_FIGURES: [&str; 14] = [
    "format",
    "extends",
    "name",
    "compatible",
    // `source` says of all of them where they are from.
    "[overheads]",
    "[overheads.measured]",
    "[overheads.resident]",
    "[overheads.resident.measured]",
    "[overheads.resident_requests]",
    "[overheads.resident_requests.measured]",
    "[overheads.resident_between]",
    "[overheads.resident_between.measured]",
    "[[overheads.fewer]]",
    "[overheads.fewer.measured]",
];

/// The lines of a board's file that have a figure and no mark.
fn unmarked(text: &str) -> Vec<&str> {
    let mut table = "";
    let mut unmarked = Vec::new();
    for line in text.lines() {
        let (before, marked) = (line.split('#').next().unwrap_or(""), line.contains("# "));
        if before.starts_with('[') {
            table = line;
        }
        let Some((key, _)) = before.split_once('=') else { continue };
        let names = [key.trim(), table.split('#').next().unwrap_or("").trim()];
        if !marked && !table.contains("# ") && !names.iter().any(|it| NO_FIGURES.contains(it)) {
            unmarked.push(line);
        }
    }
    unmarked
}

#[test]
fn each_figure_has_its_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards");
    let mut boards = 0;
    for file in std::fs::read_dir(folder).expect("the boards") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        assert_eq!(unmarked(&text), Vec::<&str>::new(), "{}", path.display());
        boards += 1;
    }
    assert!(boards > 4, "{boards} boards");
}
