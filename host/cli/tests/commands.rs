// SPDX-License-Identifier: Apache-2.0
//! Tests the other commands from the outside, and a first application from nothing to its table.

mod common;

use std::path::Path;

use common::document::document;
use common::takt::{Ended, ended, takt};

fn here(arguments: &[&str], directory: &Path) -> Ended {
    ended(takt(arguments, directory))
}

fn replace(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from:?} is not in {}", file.display());
    std::fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn a_first_application_is_checked_built_and_run() {
    let directory = tempfile::tempdir().unwrap();
    let made = here(&["new", "first"], directory.path());
    assert_eq!(made.code, 0, "{}", made.stderr);
    let first = directory.path().join("first");

    let check = here(&["check", "system.toml"], &first);
    assert_eq!(check.code, 0, "{}{}", check.stdout, check.stderr);
    let build = here(&["build", "system.toml"], &first);
    assert_eq!(build.code, 0, "{}", build.stderr);
    assert!(build.stderr.is_empty(), "{}", build.stderr);
    assert!(Path::new(build.stdout.trim()).is_file(), "{}", build.stdout);
    let run = here(&["run", "system.toml", "--qemu"], &first);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("height 1225 mm after 50 samples\n"), "{}", run.stdout);
    assert!(run.stdout.contains("1s of machine time, shutdown with code 0"), "{}", run.stdout);

    // The result is a document for programs. It is not compared with another run's, because runs on
    // QEMU are only nearly alike.
    let json = here(&["run", "system.toml", "--qemu", "--format", "json"], &first);
    assert_eq!(document(&json)["variation"], serde_json::Value::Null);

    replace(&first.join("main.c"), "++samples", "++smaples");
    here(&["build", "system.toml"], &first)
        .fails_with(1, "undeclared (first use in this function)");
}

/// On the board, where files can be written back, and as built for Linux.
#[test]
fn a_first_program_with_posix_threads_runs_here_and_on_linux() {
    let directory = tempfile::tempdir().unwrap();
    let made = here(&["new", "--posix", "words"], directory.path());
    assert_eq!(made.code, 0, "{}", made.stderr);
    let words = directory.path().join("words");
    let run = here(&["run", "system.toml", "--output", "result"], &words);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("24 words, counted by 4 threads\n"), "{}", run.stdout);
    let result = std::fs::read_to_string(words.join("result/words.txt")).unwrap();
    assert_eq!(result, "24 words\n");

    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-pthread", "main.c", "-o", "on_linux"]);
    assert!(compiler.current_dir(&words).status().unwrap().success());
    let mut program = std::process::Command::new("./on_linux");
    let output = program.args(["input/text.txt", "on_linux.txt"]).current_dir(&words).output();
    assert_eq!(output.unwrap().stdout, b"24 words, counted by 4 threads\n");

    // What a stream holds back that is still open is written at the end of the program.
    replace(&words.join("main.c"), "    fclose(output);\n", "");
    let run = here(&["run", "system.toml", "--output", "unclosed"], &words);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let result = std::fs::read_to_string(words.join("unclosed/words.txt")).unwrap();
    assert_eq!(result, "24 words\n");
}

#[test]
fn an_application_is_built_at_another_place() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(here(&["new", "first"], directory.path()).code, 0);
    let first = directory.path().join("first");
    let build = here(&["build", "system.toml"], &first);
    assert_eq!(build.code, 0, "{}", build.stderr);
    let image = std::fs::read(build.stdout.trim()).unwrap();
    // The application is copied next to the first one, and then moved, each time with its build
    // folder.
    let mut copy = std::process::Command::new("cp");
    copy.args(["-a", "first", "second"]);
    assert!(copy.current_dir(directory.path()).status().unwrap().success());
    for name in ["second", "third"] {
        let place = directory.path().join(name);
        if name == "third" {
            std::fs::rename(&first, &place).unwrap();
        }
        replace(&place.join("main.c"), "++samples", "samples++");
        let build = here(&["build", "system.toml"], &place);
        assert_eq!((build.code, build.stderr.as_str()), (0, ""));
        assert!(Path::new(build.stdout.trim()).starts_with(place.canonicalize().unwrap()));
        assert!(std::fs::read(build.stdout.trim()).unwrap().len() > image.len() / 2);
    }
}

#[test]
fn the_applications_script_says_when_polytakt_has_gone() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(here(&["new", "first"], directory.path()).code, 0);
    let mut script = std::process::Command::new("./takt");
    script.arg("--version").current_dir(directory.path().join("first"));
    script.env("TAKT_HOME", "/nowhere");
    ended(script).fails_with(3, "Polytakt is not at /nowhere; set TAKT_HOME");
}

#[test]
fn new_refuses_what_is_there_and_finds_a_name() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("full")).unwrap();
    std::fs::write(directory.path().join("full/file"), "").unwrap();
    here(&["new", "full"], directory.path()).fails_with(2, "is there already and not empty");
    here(&["new", "full/file"], directory.path()).fails_with(2, "is there already and not empty");
    // The directory names are invalid as C identifiers, reserved in C, reserved by Polytakt, and
    // too long.
    for name in ["9 lives", "int", "takt_x", &"long".repeat(20)] {
        assert_eq!(here(&["new", name], directory.path()).code, 0);
        let check = here(&["check", "system.toml"], &directory.path().join(name));
        assert_eq!(check.code, 0, "{name}: {}", check.stderr);
    }
}

#[test]
fn a_deadline_that_breaks_is_named_with_its_culprit() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(here(&["new", "first"], directory.path()).code, 0);
    let first = directory.path().join("first");
    let system = first.join("system.toml");
    let met = here(&["check", "system.toml"], &first);
    assert!(met.stdout.contains("first: computed: "), "overheads are assumed:\n{}", met.stdout);
    replace(&system, "core   = 1", "core   = 0");
    replace(&system, "\"100us\"", "\"9.99ms\"");
    let broken = here(&["check", "system.toml"], &first);
    assert_eq!(broken.code, 1);
    assert!(broken.stdout.contains("- task display can miss its deadline by"), "{}", broken.stdout);
    assert!(broken.stdout.contains(": execution of task sensor; "), "{}", broken.stdout);
    let parts = here(&["check", "system.toml", "--explain", "display"], &first);
    assert_eq!(parts.code, 1);
    assert!(parts.stdout.contains(" execution of task sensor\n"), "{}", parts.stdout);
    assert!(
        parts.stdout.contains("together: task display can respond so late"),
        "{}",
        parts.stdout
    );
    let nobody = here(&["check", "system.toml", "--explain", "nobody"], &first);
    nobody.fails_with(2, "there is no task `nobody`");

    let json = here(&["check", "system.toml", "--format", "json"], &first);
    let table = document(&json);
    assert_eq!((&table["holds"], &table["exit_status"]), (&false.into(), &1.into()));
    let part = &table["tasks"][1]["breakdown"]["parts"][0];
    assert_eq!((&part["kind"], &part["task"]), (&"task".into(), &"sensor".into()));
}

#[test]
fn a_mistake_is_shown_in_its_file() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(here(&["new", "first"], directory.path()).code, 0);
    let first = directory.path().join("first");
    replace(&first.join("system.toml"), "period = \"10ms\"", "period = 10");
    for command in ["check", "build", "size"] {
        here(&[command, "system.toml"], &first).fails_with(2, "system.toml:");
    }
    here(&["check", "nowhere.toml"], &first).fails_with(2, "nowhere.toml");
}

#[test]
fn a_tree_that_is_not_there_is_said_so() {
    let directory = tempfile::tempdir().unwrap();
    let mut check = takt(&["check", "system.toml"], directory.path());
    check.env("TAKT_HOME", "/nowhere");
    ended(check).fails_with(3, "Polytakt's own tree is not at /nowhere");
}

#[test]
fn missing_build_tools_name_their_package() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(here(&["new", "first"], directory.path()).code, 0);
    let mut build = takt(&["build", "system.toml"], &directory.path().join("first"));
    build.env("PATH", directory.path());
    ended(build).fails_with(3, "apt-get install cmake");
}

#[test]
fn sizes_and_schemas_are_printed() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(here(&["new", "first"], directory.path()).code, 0);
    let size = here(&["size", "system.toml"], &directory.path().join("first"));
    assert_eq!(size.code, 0, "{}", size.stderr);
    for word in [".text", "console", "sensor", "display"] {
        assert!(size.stdout.contains(word), "{word}:\n{}", size.stdout);
    }
    for file in ["system", "board"] {
        let schema = here(&["schema", file], directory.path());
        let schema: serde_json::Value = serde_json::from_str(&schema.stdout).unwrap();
        assert!(schema["properties"]["format"].is_object(), "{schema}");
    }
}

#[test]
fn a_path_that_the_tools_would_misread_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let odd = directory.path().join("se;mi");
    std::fs::create_dir(&odd).unwrap();
    assert_eq!(here(&["new", "first"], &odd).code, 0);
    here(&["build", "system.toml"], &odd.join("first"))
        .fails_with(2, "cannot build with the character ';'");
}

#[test]
fn no_time_is_no_run() {
    let directory = tempfile::tempdir().unwrap();
    here(&["run", "system.toml", "--qemu", "--for", "0s"], directory.path())
        .fails_with(2, "must be greater than 0");
}

#[test]
fn a_result_that_is_lost_is_an_error() {
    use std::process::{Command, Stdio};
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_takt"))
        .args(["schema", "system"])
        .stdout(Stdio::from(full))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(3));
}

/// A service that the kernel's placement lacks is reported at the placement, not in the linker's words.
#[test]
fn a_service_that_the_placement_lacks_is_told_at_its_word() {
    let directory = tempfile::tempdir().unwrap();
    let system = |placement: &str| {
        format!(
            "format = 1\n[system]\nname = \"sample\"\nboard = \"virt\"\ncores = 2\n\
             sources = [\"main.c\"]\n[kernel]\nplacement = \"{placement}\"\n\
             [[task]]\nname = \"control\"\nentry = \"control_step\"\n"
        )
    };
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let source =
        "#include <takt/takt.h>\nvoid control_step(intptr_t argument) {\n    takt_cpu_lock();\n}\n";
    write("main.c", source);
    write("system.toml", &system("central"));
    let build = here(&["build", "system.toml"], directory.path());
    build.fails_with(2, "not_under_placement");
    build.fails_with(2, "main.c calls takt_cpu_lock");
    assert!(!build.stderr.contains("undefined reference"), "{}", build.stderr);
    write("system.toml", &system("distributed"));
    assert_eq!(here(&["build", "system.toml"], directory.path()).code, 0);
}

/// A check of events is refused where the kernel records none, as by default under `central`.
#[test]
fn a_check_without_events_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let text = "format = 1\n[system]\nname = \"sample\"\nboard = \"virt\"\ncores = 2\n\
                sources = [\"main.c\"]\n[kernel]\nplacement = \"central\"\n\
                [[task]]\nname = \"control\"\nentry = \"control_step\"\n";
    std::fs::write(directory.path().join("system.toml"), text).unwrap();
    std::fs::write(directory.path().join("main.c"), "").unwrap();
    let run = here(&["run", "system.toml", "--check"], directory.path());
    run.fails_with(2, "the kernel of sample records none");
}

/// Each fault is reported at the word in the description, not in the linker's words.
#[test]
fn functions_that_are_not_as_described_are_told_at_their_words() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(here(&["new", "first"], directory.path()).code, 0);
    let first = directory.path().join("first");
    let (system, source) = (first.join("system.toml"), first.join("main.c"));
    let good = [&system, &source].map(|file| std::fs::read_to_string(file).unwrap());
    let refused = |from: &str, to: &str, code: &str, text: &str| {
        // The description contains the function's declaration as a comment.
        let line = |line: &str| match line.contains('#') && from.starts_with("void") {
            true => line.to_string(),
            false => line.replace(from, to),
        };
        let change = |whole: &String| whole.lines().map(line).collect::<Vec<_>>().join("\n");
        let changed = good.each_ref().map(change);
        assert!(changed != good, "{from}");
        std::fs::write(&system, &changed[0]).unwrap();
        std::fs::write(&source, &changed[1]).unwrap();
        let build = here(&["build", "system.toml"], &first);
        build.fails_with(2, code);
        build.fails_with(2, text);
        assert!(build.stderr.contains("system.toml:"), "{}", build.stderr);
        assert!(!build.stderr.contains("LANCHOR"), "{}", build.stderr);
    };
    let entry = "entry  = \"sensor_step\"";
    assert!(good[0].contains(entry), "{}", good[0]);
    let named = |name: &str| entry.replace("sensor_step", name);
    refused(entry, &named("sensor_setp"), "entry_missing", "did you mean `sensor_step`?");
    refused(entry, &named("printf"), "reserved_name", "`printf` is a name of the C library");
    // strdup is not part of C17, but defined in the C library that is linked.
    refused(entry, &named("strdup"), "entry_missing", "no source defines the function `strdup`");
    let function = "void sensor_step(intptr_t argument)";
    assert!(good[1].contains(function), "{}", good[1]);
    let other = |text: &str| format!("{text} void not_sensor_step(intptr_t argument)");
    refused(function, &other("int other_step = 1;"), "entry_missing", "sensor_step");
    // The tables' header declares the function, so another type is an error of the compiler.
    std::fs::write(&system, good[0].replace("\"main.c\"", "\"main.c\", \"second.c\"")).unwrap();
    std::fs::write(&source, &good[1]).unwrap();
    std::fs::write(first.join("second.c"), "void sensor_step(long argument) { }").unwrap();
    let twice = here(&["build", "system.toml"], &first);
    twice.fails_with(2, "two sources define the function `sensor_step`");
    std::fs::write(&source, good[1].replace(function, &other(""))).unwrap();
    std::fs::write(first.join("second.c"), "int sensor_step = 1;").unwrap();
    let data = here(&["build", "system.toml"], &first);
    data.fails_with(2, "a variable, not a function, is called `sensor_step`");
    std::fs::write(
        first.join("second.c"),
        "static void sensor_step(long argument) { }\nvoid (*used)(long) = sensor_step;",
    )
    .unwrap();
    here(&["build", "system.toml"], &first).fails_with(2, "no other file sees the function");
    std::fs::write(&system, good[0].replace("\"main.c\"", "\"main.c\", \"second.f90\"")).unwrap();
    std::fs::write(first.join("second.f90"), "").unwrap();
    here(&["build", "system.toml"], &first).fails_with(2, "is neither C, C++ nor assembler");
    // What C++ constructs at run time needs the library that calls `main`.
    std::fs::write(&source, &good[1]).unwrap();
    std::fs::write(&system, good[0].replace("\"main.c\"", "\"main.c\", \"second.cpp\"")).unwrap();
    let object = "int three();\nint number = three();\nint three() { return 3; }";
    std::fs::write(first.join("second.cpp"), object).unwrap();
    here(&["build", "system.toml"], &first).fails_with(1, "use the library `posix`");
    std::fs::write(&source, good[1].replace(function, &other(""))).unwrap();
    let local = "#include <takt/takt.h>\nvoid sensor_step(intptr_t wide) { static intptr_t one = wide; one++; }";
    std::fs::write(first.join("second.cpp"), local).unwrap();
    here(&["build", "system.toml"], &first).fails_with(1, "__cxa_guard_acquire");
}
