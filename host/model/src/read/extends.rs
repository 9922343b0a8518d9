// SPDX-License-Identifier: Apache-2.0
//! Reads a board that extends another: `extends = "virt"` gives it everything that the other
//! board's file says, except where its own file says otherwise.
//!
//! The files are joined before anything is checked, so the joined board has to follow the same
//! rules as any other. A mistake in an inherited value is shown at `extends`.

use std::{
    mem,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{form, report::Report, source, system};
use crate::{Code, Problem};

/// The greatest number of boards that extend each other in a row.
const MAX_BASES: usize = 4;

/// The texts of the boards that a board extends, the nearest first. `None`: one of them cannot be
/// read, which was reported.
pub fn bases(
    report: &mut Report,
    text: &str,
    file: &Path,
    board_dirs: &[PathBuf],
) -> Option<Vec<Arc<str>>> {
    let Some((name, span)) = extended(text) else { return Some(Vec::new()) };
    let (mut texts, mut next, mut file) = (Vec::new(), Some(name), file.to_path_buf());
    while let Some(name) = next {
        if texts.len() == MAX_BASES {
            let help = format!("extend a board that stands alone; at most {MAX_BASES} in a row");
            let message = "too many boards extend each other";
            let problem = Problem::new(Code::ExtendsTooDeep, message, help);
            report.add(problem.at(span.clone(), "one too many, or a circle"));
            return None;
        }
        let folder = file.parent().unwrap_or(Path::new(".")).to_path_buf();
        let dirs: Vec<_> = [std::slice::from_ref(&folder), board_dirs].concat();
        let Some(path) = system::board_file(&name, &folder, &dirs) else {
            report.add(system::unknown_board(&name, span.clone(), &dirs));
            return None;
        };
        match source::load(&path).and_then(|bytes| source::text(&path, bytes)) {
            Ok(text) => {
                next = extended(&text).map(|(name, _)| name);
                texts.push(text);
                file = path;
            }
            Err(problems) => {
                report.add_all(problems);
                return None;
            }
        }
    }
    Some(texts)
}

/// The board that a text extends, and the place of its name.
fn extended(text: &str) -> Option<(String, Range<usize>)> {
    let table = form::parse_quietly(text)?;
    let value = table.get_ref().get("extends")?;
    Some((value.get_ref().as_str()?.to_string(), value.span()))
}

/// The table of a board's file, joined with those of the boards that it extends. `None`: one of
/// these is not TOML, which was reported.
pub fn join<'t>(
    report: &mut Report,
    mut table: Spanned<DeTable<'t>>,
    bases: &'t [Arc<str>],
) -> Option<Spanned<DeTable<'t>>> {
    let span = table.get_ref().get("extends").map_or(0..0, Spanned::span);
    for text in bases {
        let Some(base) = form::parse_quietly(text) else {
            let help = "`takt board show` of that board says what is wrong";
            let message = "the board that this one extends is not TOML";
            let problem = Problem::new(Code::Syntax, message, help);
            report.add(problem.at(span.clone(), "this board, or one that it extends"));
            return None;
        };
        inherit(table.get_mut(), base.into_inner(), &span);
    }
    Some(table)
}

/// Adds to `own` the values that only `base` has. Tables are joined key by key, and lists of tables
/// by the tables' names. `[overheads]` is one measurement, so a board's own table replaces the
/// other one completely.
fn inherit<'t>(own: &mut DeTable<'t>, base: DeTable<'t>, span: &Range<usize>) {
    for (key, mut value) in base {
        if key.get_ref() == "extends" {
            continue;
        }
        match own.get_mut(key.get_ref().as_ref()) {
            None => {
                move_to(&mut value, span);
                own.insert(Spanned::new(span.clone(), key.into_inner()), value);
            }
            Some(_) if key.get_ref() == "overheads" => {}
            Some(mine) => inherit_value(mine, value.into_inner(), span),
        }
    }
}

fn inherit_value<'t>(own: &mut Spanned<DeValue<'t>>, base: DeValue<'t>, span: &Range<usize>) {
    match (own.get_mut(), base) {
        (DeValue::Table(own), DeValue::Table(base)) => inherit(own, base, span),
        (DeValue::Array(own), DeValue::Array(base)) if base.iter().all(is_named) => {
            for mut value in base {
                match own.iter_mut().find(|it| name_of(it) == name_of(&value)) {
                    Some(mine) => inherit_value(mine, value.into_inner(), span),
                    None => {
                        move_to(&mut value, span);
                        own.push(value);
                    }
                }
            }
        }
        _ => {}
    }
}

fn is_named(value: &Spanned<DeValue>) -> bool {
    name_of(value).is_some()
}

fn name_of<'v>(value: &'v Spanned<DeValue>) -> Option<&'v str> {
    value.get_ref().as_table()?.get("name")?.get_ref().as_str()
}

/// Moves a value and everything inside it to the place at which its mistakes are shown.
fn move_to<'t>(value: &mut Spanned<DeValue<'t>>, span: &Range<usize>) {
    let mut inner = mem::replace(value.get_mut(), DeValue::Boolean(false));
    match &mut inner {
        DeValue::Array(list) => list.iter_mut().for_each(|value| move_to(value, span)),
        DeValue::Table(table) => {
            let old = mem::take(table);
            for (key, mut value) in old {
                move_to(&mut value, span);
                table.insert(Spanned::new(span.clone(), key.into_inner()), value);
            }
        }
        _ => {}
    }
    *value = Spanned::new(span.clone(), inner);
}
