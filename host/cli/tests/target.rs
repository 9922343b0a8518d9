// SPDX-License-Identifier: Apache-2.0
//! The on-target tests: `tests/cases.toml` says which systems to run, how, and what must be seen.
//! Each runs on QEMU and, unless it says why not, on the modelled board; there once more with checks
//! for undefined behaviour, where all its own checks are to hold. Of these runs only those with seeds,
//! of storms and races, are made each time, and of them no generated variants: the others are ignored, as
//! each takes a build of its own.
//!
//!     cargo test --release --test target                     all of them
//!     cargo test --release --test target -- boot             those with 'boot' in their name
//!     cargo test --release --test target -- 'on the board'   those on the board
//!     cargo test --release --test target -- --ignored sanitized   the other runs with the checks
//!     target/release/takt run tests/task/system.toml --qemu  one of them, by hand

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The path of the description, relative to `tests/`.
    #[serde(default)]
    system: String,
    /// Instead of `system`: a script of `tests/` with its arguments. It writes `system.toml` into
    /// the directory that is passed as its last argument.
    #[serde(default)]
    generate: Vec<String>,
    /// Arguments of `takt run` besides `--qemu`; on the board `--threads` is left out.
    #[serde(default)]
    arguments: Vec<String>,
    /// Further arguments of `takt run` on the board.
    #[serde(default)]
    board_arguments: Vec<String>,
    /// The reason why the case does not run on the board. A case with `qemu` or `tree` does not,
    /// and needs no reason.
    no_board: Option<String>,
    /// The reason why the case does not run on the board with checks for undefined behaviour.
    no_sanitizer: Option<String>,
    /// The reason why the case does not run on QEMU.
    no_qemu: Option<String>,
    /// The exit status on the board, if it differs: a run with a verdict may end with 1 there.
    board_exit: Option<i32>,
    /// Further arguments of QEMU.
    #[serde(default)]
    qemu: Vec<String>,
    /// Changed properties of QEMU's device tree: `["/cpus/cpu@0", "status", "disabled"]`.
    #[serde(default)]
    tree: Vec<[String; 3]>,
    /// The number of harts of the machine whose tree is changed; needs `tree`.
    tree_harts: Option<u32>,
    #[serde(default)]
    exit: i32,
    /// Texts that stdout and stderr together must contain, in this order.
    #[serde(default)]
    shows: Vec<String>,
    /// Texts that stdout and stderr together must contain somewhere.
    #[serde(default)]
    contains: Vec<String>,
}

/// The seconds of this host after which a case is taken to hang; the slowest takes two minutes.
const HANGS: &str = "900";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn must(command: &mut Command) -> Result<Output, Failed> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(output)
}

/// Writes QEMU's own device tree with some properties changed.
fn changed_tree(case: &Case, directory: &Path) -> Result<PathBuf, Failed> {
    let path = directory.join("changed.dtb");
    let harts = case.tree_harts.ok_or("tree needs tree_harts")?;
    must(Command::new("qemu-system-riscv64").args([
        "-M",
        &format!("virt,aclint=on,dumpdtb={}", path.display()),
        "-smp",
        &harts.to_string(),
        "-m",
        "128M",
        "-display",
        "none",
    ]))?;
    for [node, property, value] in &case.tree {
        must(Command::new("fdtput").args(["-t", "s"]).arg(&path).args([node, property, value]))?;
    }
    Ok(path)
}

/// Replaces each file in one step, because another run of the tests may read it.
fn replace_what_differs(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for file in std::fs::read_dir(from)? {
        let file = file?;
        let old = to.join(file.file_name());
        if std::fs::read(&old).ok() != Some(std::fs::read(file.path())?) {
            std::fs::rename(file.path(), old)?;
        }
    }
    Ok(())
}

/// The path of the system's description.
fn description(case: &Case) -> PathBuf {
    if case.generate.is_empty() {
        return root().join("tests").join(&case.system);
    }
    let name: String = case.generate.join(" ").replace('/', "-");
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).join("system.toml")
}

/// The path of the system's description, which is there. A generated system is written once for all cases that run
/// it, so they share one build.
fn system(case: &Case) -> Result<PathBuf, Failed> {
    static GENERATED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let tests = root().join("tests");
    let Some((script, arguments)) = case.generate.split_first() else {
        return Ok(description(case));
    };
    let description = description(case);
    let directory = description.parent().expect("a folder of its own").to_path_buf();
    let mut generated = GENERATED.lock().unwrap_or_else(PoisonError::into_inner);
    if !generated.contains(&directory) {
        let fresh = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        must(Command::new("python3").arg(tests.join(script)).args(arguments).arg(fresh.path()))?;
        replace_what_differs(fresh.path(), &directory)?;
        generated.insert(directory.clone());
    }
    Ok(description)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Machine {
    Qemu,
    Board,
    Sanitized,
}

impl Case {
    fn has_seeds(&self) -> bool {
        self.arguments.iter().chain(&self.board_arguments).any(|argument| argument == "--seed")
    }

    fn runs_on(&self, machine: Machine) -> bool {
        let plain = self.qemu.is_empty() && self.tree.is_empty() && self.no_board.is_none();
        match machine {
            Machine::Qemu => self.no_qemu.is_none(),
            Machine::Board => plain,
            Machine::Sanitized => {
                plain
                    && self.no_sanitizer.is_none()
                    && self.shows.iter().any(|shown| shown == " 0 failed")
            }
        }
    }
}

/// The builds with checks for undefined behaviour that the cases of a run still need, by the path
/// of the description. Each is removed after the last: together they would take gigabytes, and
/// nothing else uses them. A run with a filter keeps them, to be built no second time.
static SANITIZED: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

fn remove_after_last(system: &Path) -> Result<(), Failed> {
    let mut needed = SANITIZED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(runs) = needed.get_mut(system) else { return Ok(()) };
    *runs -= 1;
    if *runs == 0 {
        let mut hasher = DefaultHasher::new();
        system.strip_prefix(root())?.hash(&mut hasher);
        let end = format!("-{:08x}-sanitized", hasher.finish() as u32);
        for tree in std::fs::read_dir(root().join("build"))? {
            let tree = tree?;
            if tree.file_name().to_string_lossy().ends_with(&end) {
                std::fs::remove_dir_all(tree.path())?;
            }
        }
    }
    Ok(())
}

fn run(case: &Case, machine: Machine) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let mut takt = Command::new("timeout");
    takt.args([HANGS, env!("CARGO_BIN_EXE_takt"), "run"]).arg(system(case)?);
    let exit = match machine {
        Machine::Qemu => {
            takt.arg("--qemu").args(&case.arguments).arg("--").args(&case.qemu);
            if !case.tree.is_empty() {
                takt.arg("-dtb").arg(changed_tree(case, directory.path())?);
            }
            case.exit
        }
        Machine::Board | Machine::Sanitized => {
            takt.args((machine == Machine::Sanitized).then_some("--sanitize"));
            takt.args(case.arguments.iter().filter(|argument| *argument != "--threads"));
            takt.args(&case.board_arguments);
            let given = |argument: &str| {
                case.arguments.iter().chain(&case.board_arguments).any(|one| one == argument)
            };
            // The table of a run with seeds has " 0 failed" also of runs that ended by their time:
            // these tests are to end themselves.
            let ends = case.shows.iter().any(|shown| shown == " 0 failed");
            if ends && given("--seed") && !given("--for") {
                takt.args(["--for", "1000s"]);
                takt.args(
                    (!given("--budget")).then_some(["--budget", "25s"]).into_iter().flatten(),
                );
            }
            case.board_exit.unwrap_or(case.exit)
        }
    };
    let output = takt.output()?;
    if output.status.code() == Some(124) {
        return Err(format!("ended after {HANGS} seconds").into());
    }
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(exit) {
        let status = output.status;
        return Err(format!("{status}, expected exit code {exit}\n{text}").into());
    }
    if let Some(missing) = case.contains.iter().find(|wanted| !text.contains(*wanted)) {
        return Err(format!("does not show '{missing}'\n{text}").into());
    }
    let mut rest = &text[..];
    for wanted in &case.shows {
        let Some(at) = rest.find(wanted.as_str()) else {
            return Err(format!("does not show '{wanted}' (in order)\n{text}").into());
        };
        rest = &rest[at + wanted.len()..];
    }
    Ok(())
}

/// The time that each case took on this host, including the build.
static DURATIONS: Mutex<Vec<(Duration, String)>> = Mutex::new(Vec::new());

fn run_timed(case: &Case, machine: Machine, name: &str) -> Result<(), Failed> {
    let begin = Instant::now();
    let result = run(case, machine);
    if machine == Machine::Sanitized {
        remove_after_last(&description(case))?;
    }
    let mut durations = DURATIONS.lock().unwrap_or_else(PoisonError::into_inner);
    {
        use std::io::Write;
        let mut f = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open("/tmp/w/durations.txt")
            .unwrap();
        writeln!(f, "{:.1} {name}", begin.elapsed().as_secs_f64()).unwrap();
    }
    durations.push((begin.elapsed(), name.to_string()));
    result
}

/// Prints the cases that took longest; `tests/run` shows them beside its steps.
fn print_slowest() {
    let mut durations = DURATIONS.lock().unwrap_or_else(PoisonError::into_inner);
    durations.sort_by(|one, other| other.cmp(one));
    for (duration, name) in durations.iter().take(10) {
        println!("slow: {:.1} s  {name}", duration.as_secs_f64());
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let path = root().join("tests/cases.toml");
    let text = std::fs::read_to_string(&path).expect("tests/cases.toml");
    let cases: Cases = toml::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut trials = Vec::new();
    let mut needed = BTreeMap::new();
    // A machine after the other: two cases at a time then seldom wait for the build of one system.
    for (machine, words) in [
        (Machine::Qemu, ""),
        (Machine::Board, ", on the board"),
        (Machine::Sanitized, ", sanitized"),
    ] {
        for case in cases.case.iter().filter(|case| case.runs_on(machine)) {
            let sanitized = machine == Machine::Sanitized;
            let ignored = sanitized && !(case.has_seeds() && case.generate.is_empty());
            if sanitized && !ignored && arguments.filter.is_none() {
                *needed.entry(description(case)).or_default() += 1;
            }
            let (name, case) = (format!("{}{words}", case.name), case.clone());
            let timed = name.clone();
            let trial = Trial::test(name, move || run_timed(&case, machine, &timed));
            trials.push(trial.with_ignored_flag(ignored));
        }
    }
    *SANITIZED.lock().unwrap_or_else(PoisonError::into_inner) = needed;
    let conclusion = libtest_mimic::run(&arguments, trials);
    print_slowest();
    conclusion.exit();
}
