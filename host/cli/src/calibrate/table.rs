// SPDX-License-Identifier: Apache-2.0
//! The table `[overheads]` of a board's file.

use std::ops::RangeInclusive;

use takt_model::{KernelPath, Measured, Overheads, PlacedOverheads, Placement, Stamp, Word};

/// The tables for the board's file, headed by the seeds with which the measurement can be repeated.
/// `fewer` holds the overheads measured with fewer cores, `resident` those on cores whose caches keep all that they touch:
/// without and with requests within a core, and with requests between cores, or the first of these, or none.
pub fn text(
    overheads: &Overheads,
    fewer: &[Overheads],
    resident: &[Overheads],
    stamp: &Stamp,
    seeds: &RangeInclusive<u64>,
) -> String {
    let Stamp { timing, kernel } = stamp;
    let (first, last) = (seeds.start(), seeds.end());
    let measured = fewer.iter().filter_map(|it| it.measured.as_ref());
    let counts: Vec<_> = measured.map(|it| it.cores.to_string()).collect();
    let option = if counts.is_empty() { "" } else { " --cores " };
    let mut text = format!(
        "[overheads]                      # takt calibrate --seeds {first}..{last}{option}{}\n\
         source           = \"measured\"\nstamp            = \"{timing}-{kernel}\"\n",
        counts.join(",")
    );
    text += &figures(overheads, "overheads.measured");
    for overheads in fewer {
        text +=
            &format!("\n[[overheads.fewer]]\n{}", figures(overheads, "overheads.fewer.measured"));
    }
    let names = ["resident", "resident_requests", "resident_between"];
    for (overheads, name) in resident.iter().zip(names) {
        let figures = figures(overheads, &format!("overheads.{name}.measured"));
        // No core asks anything of the cores of the other tables.
        let asks = |line: &&str| name == "resident_between" || !line.starts_with("ipi ");
        let figures: String = figures.split_inclusive('\n').filter(asks).collect();
        text += &format!("\n[overheads.{name}]\n{figures}");
    }
    text
}

/// The table of another placement for the board's file.
pub fn of_placement(
    placed: &PlacedOverheads,
    stamp: &Stamp,
    seeds: &RangeInclusive<u64>,
) -> String {
    let Stamp { timing, kernel } = stamp;
    let PlacedOverheads { placement, overheads, command, trip } = placed;
    let word = placement.word();
    let command = match placement {
        Placement::Rtu => String::new(),
        _ => format!("command          = \"{}ns\"\n", command.0),
    };
    format!(
        "[[overheads.placement]]          # takt calibrate --seeds {}..{} --placement {word}\n\
         name             = \"{word}\"\nstamp            = \"{timing}-{kernel}\"\n{}{command}\
         trip             = \"{}ns\"\n",
        seeds.start(),
        seeds.end(),
        figures(overheads, ""),
        trip.0
    )
}

/// The file's text with the tables of placements taken out, and these tables, of which each begins with a line of its own.
pub fn without_placements(file: &str) -> (String, Vec<String>) {
    let named = |line: &str| line.split('#').next().unwrap_or_default().trim().to_string();
    let (mut rest, mut tables, mut inside) = (String::new(), Vec::<String>::new(), false);
    for line in file.split_inclusive('\n') {
        let begins = named(line) == "[[overheads.placement]]";
        let is_row = named(line).contains(" = ") && !line.starts_with(['[', '#']);
        inside = begins || (inside && is_row);
        if begins && rest.ends_with("\n\n") {
            rest.pop(); // the blank line before the table goes with it
        }
        match (begins, inside) {
            (true, _) => tables.push(line.to_string()),
            (_, true) => tables.last_mut().into_iter().for_each(|table| table.push_str(line)),
            _ => rest.push_str(line),
        }
    }
    (rest, tables)
}

/// The file's text with tables of placements behind its own table of overheads; None if it has none.
pub fn with_placements(file: &str, tables: &[String]) -> Option<String> {
    let own = overheads_of(file)?;
    let text = tables.iter().map(|table| format!("\n{table}")).collect::<String>();
    replaced(file, &(own.trim_end().to_string() + "\n" + &text))
}

/// The text of the file's table of overheads.
fn overheads_of(file: &str) -> Option<String> {
    let without = replaced(file, "")?;
    let begin = file.bytes().zip(without.bytes()).take_while(|(a, b)| a == b).count();
    let line = file[..begin].rfind('\n').map_or(0, |at| at + 1);
    let length = file.len() - without.len();
    let begin = if file[line..].starts_with("[overheads]") {
        line
    } else {
        file.find("\n[overheads]")? + 1
    };
    Some(file[begin..begin + length].to_string())
}

/// The times as lines of the table, followed by the table of the conditions of their measurement.
fn figures(overheads: &Overheads, conditions_table: &str) -> String {
    let Overheads { timer_interrupt, ipi, release, dispatch, preemption, kernel_section, .. } =
        overheads;
    let rows = [
        ("timer_interrupt", timer_interrupt),
        ("ipi", ipi),
        ("release", release),
        ("dispatch", dispatch),
        ("preemption", preemption),
        ("kernel_section", kernel_section),
    ];
    let device = overheads.device_interrupt.iter().map(|time| ("device_interrupt", time));
    let rows: String = rows
        .into_iter()
        .chain(device)
        .map(|(key, time)| format!("{key:<16} = \"{}ns\"\n", time.0))
        .collect();
    let conditions = overheads.measured.iter().map(conditions);
    let conditions = conditions.map(|rows| format!("\n[{conditions_table}]\n{rows}"));
    rows + &conditions.collect::<String>()
}

fn conditions(measured: &Measured) -> String {
    let load = measured.load.iter().map(|load| format!("\"{}\"", load.word()));
    let paths = measured.paths.as_deref().unwrap_or_default();
    let line = |paths: &[KernelPath]| {
        let words = paths.iter().map(|path| format!("\"{}\", ", path.word()));
        format!("\n    {}", words.collect::<String>().trim_end())
    };
    let paths: String = paths.chunks(6).map(line).collect();
    let word = |word: &str| format!("\"{word}\"");
    let rows = [
        ("spinlock", word(measured.locking.spinlock.word())),
        ("backoff", word(measured.locking.backoff.word())),
        ("granularity", word(measured.locking.granularity.word())),
        ("own_task", word(measured.own_task.word())),
        ("homing", word(measured.homing.word())),
        ("cores", measured.cores.to_string()),
        ("cores_per_lock", measured.cores_per_lock.to_string()),
        ("timers_per_core", measured.timers_per_core.to_string()),
        ("interrupt_sources", measured.interrupt_sources.to_string()),
        ("load", format!("[{}]", load.collect::<Vec<_>>().join(", "))),
        ("paths", format!("[{paths}\n]")),
    ];
    rows.map(|(key, value)| format!("{key:<17} = {value}\n")).concat()
}

/// The file's text with its table of overheads replaced; None if the file has no such table that
/// can be recognised.
pub fn replaced(file: &str, table: &str) -> Option<String> {
    let named = |line: &str| line.split('#').next().unwrap_or_default().trim().to_string();
    let part = |line: &str| named(line).trim_start_matches('[').starts_with("overheads.");
    let header = |line: &str| line.trim_start().starts_with('[') && !part(line);
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let begin = lines.iter().position(|line| named(line) == "[overheads]")?;
    let next = lines[begin + 1..].iter().position(|line| header(line));
    let mut end = next.map_or(lines.len(), |next| begin + 1 + next);
    // Blank lines and comments directly before the next table belong to that table.
    let value = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    while end > begin + 1 && !value(lines[end - 1]) {
        end -= 1;
    }
    Some(lines[..begin].concat() + table + &lines[end..].concat())
}

/// The text of a file that extends another board's file, with its own table appended.
pub fn appended(file: &str, table: &str) -> Option<String> {
    let extends = |line: &str| line.split_once('=').is_some_and(|(key, _)| key.trim() == "extends");
    file.lines().any(extends).then(|| format!("{}\n\n{table}", file.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_replaced_and_nothing_else() {
        let file =
            "a = 1\n\n[overheads] # old\nsource = \"assumed\"\nipi = \"1us\"\n\n# next\n[core]\n";
        let new = replaced(file, "[overheads]\nnew = 1\n").unwrap();
        assert_eq!(new, "a = 1\n\n[overheads]\nnew = 1\n\n# next\n[core]\n");
        assert_eq!(replaced("[overheads]\nx = 1", "new\n").unwrap(), "new\n");
        assert_eq!(replaced("[core]\n", "new\n"), None);
        let parts = "[overheads]\nx = 1\n\n[overheads.measured] # so\nload = [\"mix\"]\n\n[core]\n";
        assert_eq!(replaced(parts, "new\n").unwrap(), "new\n\n[core]\n");
        let fewer = "[overheads]\nx = 1\n\n[[overheads.fewer]]\nx = 1\n\n[overheads.fewer.measured]\n\
                     cores = 1\n\n[core]\n";
        assert_eq!(replaced(fewer, "new\n").unwrap(), "new\n\n[core]\n");
    }

    #[test]
    fn tables_of_placements_leave_no_blank_lines() {
        let table = "[[overheads.placement]]\nname = \"rtu\"\n".to_string();
        let file = "[overheads]\nipi = \"1us\"\n\n[core]\n";
        let with = with_placements(file, &[table.clone(), table.clone()]).unwrap();
        assert_eq!(with, format!("[overheads]\nipi = \"1us\"\n\n{table}\n{table}\n[core]\n"));
        assert_eq!(without_placements(&with), (file.to_string(), vec![table.clone(), table]));
    }

    #[test]
    fn a_file_that_extends_another_gets_a_table_of_its_own() {
        let file = "format = 1\nextends = \"tile72\"\n[l2]\nhit = 90\n";
        assert_eq!(appended(file, "[overheads]\n").unwrap(), format!("{file}\n[overheads]\n"));
        assert_eq!(appended("format = 1\n[l2]\nhit = 90\n", "[overheads]\n"), None);
    }
}
