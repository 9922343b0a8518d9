// SPDX-License-Identifier: Apache-2.0
//! Tests that every mistake is reported with the text in `tests/diagnostics/expected`.
//!
//! In that folder, `<code>.toml` and `<code>-<variant>.toml` provoke the code of their name and no
//! other; files in `boards` are boards. Inputs that no file can hold are made here.

use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use miette::{GraphicalReportHandler, GraphicalTheme};
use takt_model::{Board, CODES, EntryFault, MissingService, Problems, System};

/// The path relative to this crate's folder, in which cargo runs tests, so that messages with the
/// path are the same on every host.
const FOLDER: &str = "../../tests/diagnostics";

#[test]
fn every_file_provokes_its_code_and_says_so() {
    for (name, path) in files_of(FOLDER) {
        let problems = read_system(&path).expect_err(&name);
        check(&name, &name, &problems);
    }
}

#[test]
fn every_board_provokes_its_code_and_says_so() {
    for (name, path) in files_of(&format!("{FOLDER}/boards")) {
        let problems = Board::read(&path).expect_err(&name);
        check(&name, &format!("board-{name}"), &problems);
    }
}

#[test]
fn every_code_is_provoked() {
    let files = files_of(FOLDER).into_iter().chain(files_of(&format!("{FOLDER}/boards")));
    let made = MADE.iter().map(|(name, _)| name.to_string());
    let made = made.chain(built().map(|(name, _)| name.to_string()));
    let provoked: HashSet<_> =
        files.map(|(name, _)| name).chain(made).map(|name| code_of(&name).to_string()).collect();
    let known: HashSet<_> = CODES.iter().map(|code| code.name().to_string()).collect();
    assert_eq!(known.len(), CODES.len(), "two codes have one name");
    assert_eq!(provoked, known);
}

/// A function that creates an input in a folder, for inputs that cannot be stored as a file of the
/// repository.
type Made = (&'static str, fn(&Path) -> PathBuf);
const MADE: &[Made] = &[
    ("unreadable", |_| Path::new(FOLDER).join("no-such-file.toml")),
    ("not_a_file", |_| PathBuf::from(FOLDER)),
    ("not_a_file-device", |_| PathBuf::from("/dev/zero")),
    ("too_large-brackets", |folder| write(folder, "[".repeat(100_000_000))),
    ("too_large-nul", |folder| write(folder, "\0".repeat(100_000_000))),
    ("too_many", |folder| write(folder, too_many_semaphores())),
    ("too_many-held", |folder| write(folder, too_many_held())),
    ("too_many-channels", |folder| write(folder, too_many_channels())),
];

#[test]
fn what_no_file_can_hold_is_refused_too() {
    for (name, make) in MADE {
        let folder = tempfile::tempdir().unwrap();
        let problems = read_system(&make(folder.path())).expect_err(name);
        assert_codes(name, &problems);
        let place = folder.path().display().to_string();
        snapshot(name, render(&problems, 10_000).replace(&place, "FOLDER"));
    }
}

/// The faults that the build finds in the functions of `built/entries.toml`, by code.
fn built() -> impl Iterator<Item = (&'static str, Vec<EntryFault>)> {
    let (one, other) = (|| "one.c".to_string(), || "other.c".to_string());
    let missing = vec![
        EntryFault::Undefined("control_setp".into()),
        EntryFault::Undefined("sample".into()),
        EntryFault::Static("begin".into(), one()),
        EntryFault::Data("count".into(), one()),
    ];
    let twice = vec![EntryFault::Twice("sample".into(), one(), other())];
    [("entry_missing", missing), ("entry_twice", twice)].into_iter()
}

#[test]
fn what_the_build_finds_out_is_told_at_the_word() {
    let path = Path::new(FOLDER).join("built/entries.toml");
    read_system(&path).unwrap();
    assert!(System::entry_problems(&path, &[], &[]).is_none());
    for (name, faults) in built() {
        let functions = ["control_step".to_string(), "x".to_string()];
        let problems = System::entry_problems(&path, &faults, &functions).expect(name);
        assert_eq!(problems.iter().count(), faults.len(), "{problems}");
        check(name, name, &problems);
    }
}

/// The file is refused where its placement is not built; then, too, the services are reported.
#[test]
fn missing_services_are_reported_at_the_placement() {
    let path = Path::new(FOLDER).join("built/services.toml");
    assert!(System::missing_service_problems(&path, &[]).is_none());
    let missing = |service: &str, sources: &[&str]| MissingService {
        service: service.into(),
        sources: sources.iter().map(|source| source.to_string()).collect(),
    };
    let missing = [missing("takt_cpu_lock", &["main.c"]), missing("takt_x", &["main.c", "b.c"])];
    let problems = System::missing_service_problems(&path, &missing).unwrap();
    check(SERVICES, SERVICES, &problems);
}

const SERVICES: &str = "not_under_placement-services";

#[test]
fn no_expected_text_is_left_over() {
    let boards = files_of(&format!("{FOLDER}/boards"));
    let boards = boards.into_iter().map(|(name, _)| format!("board-{name}"));
    let made = MADE.iter().map(|(name, _)| name.to_string());
    let made = made.chain(built().map(|(name, _)| name.to_string()));
    let files = files_of(FOLDER).into_iter().map(|(name, _)| name);
    let services = [SERVICES.to_string()];
    let wanted: HashSet<String> = files.chain(boards).chain(made).chain(services).collect();
    for entry in Path::new(FOLDER).join("expected").read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(wanted.contains(name), "{name}.snap has no file that provokes it");
    }
}

#[test]
fn at_most_twenty_mistakes_are_shown() {
    let text = "[[task]]\n".repeat(100_000);
    let path = Path::new(FOLDER).join("no-such-file.toml");
    let problems = System::from_bytes(&path, text.into_bytes(), &[]).unwrap_err();
    assert_eq!(problems.iter().count(), 20);
    assert!(problems.to_string().ends_with("200002 mistakes, here 20"), "{problems}");
}

fn read_system(path: &Path) -> Result<System, Problems> {
    System::read(path, &["../../boards".into()])
}

fn check(name: &str, expected: &str, problems: &Problems) {
    assert_codes(name, problems);
    snapshot(expected, render(problems, 100));
}

fn assert_codes(name: &str, problems: &Problems) {
    for problem in problems.iter() {
        assert_eq!(problem.code.name(), code_of(name), "{name}: {problem}");
    }
}

fn snapshot(name: &str, text: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new("..").join(FOLDER).join("expected"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let text = text.replace("../../", "");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn render(problems: &Problems, width: usize) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let mut text = String::new();
    handler.with_width(width).render_report(&mut text, problems).unwrap();
    text
}

/// The TOML files of a folder, ordered by name.
fn files_of(folder: &str) -> Vec<(String, PathBuf)> {
    let paths = Path::new(folder).read_dir().unwrap().map(|entry| entry.unwrap().path());
    let toml = paths.filter(|path| path.extension() == Some(OsStr::new("toml")));
    let named = toml.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_string(), path));
    let mut files: Vec<_> = named.collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn code_of(name: &str) -> &str {
    name.split('-').next().unwrap()
}

fn write(folder: &Path, text: String) -> PathBuf {
    let path = folder.join("system.toml");
    std::fs::write(&path, text).unwrap();
    path
}

fn too_many_semaphores() -> String {
    let application = std::path::absolute(format!("{FOLDER}/application.c")).unwrap();
    let mut text = format!(
        "format = 1\n[system]\nname = 'many'\nboard = 'virt'\nsources = ['{}']\n\
         [[task]]\nname = 'control'\nentry = 'step'\n",
        application.display()
    );
    (0..65536).for_each(|n| text += &format!("[[semaphore]]\nname = 's{n}'\n"));
    text
}

/// The fewest channels that have too many queues, in as few bytes as a file may have.
fn too_many_channels() -> String {
    let application = std::path::absolute(format!("{FOLDER}/application.c")).unwrap();
    let channel = |n| format!("{{name='c{n}',receiver='t',messages=1,size='1B',priorities=1}},\n");
    format!(
        "format = 1\nchannel = [\n{}]\n\
         [system]\nname = 'many'\nboard = 'virt'\nsources = ['{}']\nlibraries = ['messaging']\n\
         [[task]]\nname = 't'\nentry = 'step'\n",
        (0..32768).map(channel).collect::<String>(),
        application.display()
    )
}

fn too_many_held() -> String {
    let application = std::path::absolute(format!("{FOLDER}/application.c")).unwrap();
    let uses: String =
        (0..65).map(|n| format!("    {{ mutex = 'm{n}', hold = '1us' }},\n")).collect();
    let mut text = format!(
        "format = 1\n[system]\nname = 'many'\nboard = 'virt'\nsources = ['{}']\n\
         [[task]]\nname = 'control'\nentry = 'control_step'\nperiod = '10ms'\nwcet = '1ms'\nuses = [\n{uses}]\n",
        application.display()
    );
    (0..65).for_each(|n| text += &format!("[[mutex]]\nname = 'm{n}'\nprotocol = 'inherit'\n"));
    text
}
