// SPDX-License-Identifier: Apache-2.0
//! Feeds mutated descriptions to the reader: no input may make it panic, hang (ten seconds are far
//! above what any input needs), or accept something unsound.
//!
//!     cargo run --release -p takt-model --example fuzz-reader -- --inputs 200000 --seed 1
//!
//! An input is determined by the seed and its number alone. A failing input is written to
//! `--failure` with the command that repeats it. The number is written there before each run, in
//! case a failure kills the process.

use std::{
    io::{Seek, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::Duration,
};

use clap::Parser;
use miette::{GraphicalReportHandler, GraphicalTheme};
use mutate::{Corpus, Input};
use takt_model::{Board, Problems, System};

#[path = "fuzz-reader/mutate.rs"]
mod mutate;
#[path = "fuzz-reader/sound.rs"]
mod sound;

/// The time limit of one input, far above what any input needs.
const BOUND: Duration = Duration::from_secs(10);

#[derive(Parser)]
struct Arguments {
    /// The number of inputs; a seed gives the same inputs on every host.
    #[arg(long, default_value_t = 200_000)]
    inputs: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run this input only, and print it.
    #[arg(long)]
    only: Option<u64>,
    /// The file for the failing input; during a run it holds the number of the current input.
    #[arg(long, default_value = "target/fuzz-reader.txt")]
    failure: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize();
    let root = root.expect("the repository that this was built in");
    let corpus = corpus(&root);
    if let Some(number) = arguments.only {
        let input = mutate::input(&corpus, arguments.seed, number);
        println!("{}", String::from_utf8_lossy(&input.bytes));
        // The input runs on a thread, so that the stack is as small as when the input failed.
        let reader = std::thread::spawn(move || read(&root, &input));
        return reader.join().map_or(ExitCode::FAILURE, |_| ExitCode::SUCCESS);
    }
    match run(&arguments, root, &corpus) {
        Ok(good) => {
            let (files, Arguments { inputs, seed, .. }) = (corpus.all.len(), &arguments);
            println!(
                "fuzz-reader: {inputs} inputs ({good} of them good) from {files} files, \
                 seed {seed}: no failure"
            );
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("fuzz-reader: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the inputs; returns the number of good ones, or else the failure.
fn run(arguments: &Arguments, root: PathBuf, corpus: &Corpus) -> Result<u64, String> {
    let (inputs, outcomes) = start_reader(root);
    let mut log = std::fs::File::create(&arguments.failure)
        .map_err(|error| format!("{}: {error}", arguments.failure.display()))?;
    let mut good = 0;
    for number in 0..arguments.inputs {
        let input = mutate::input(corpus, arguments.seed, number);
        note(&mut log, arguments.seed, number);
        inputs.send(input.clone()).map_err(|error| error.to_string())?;
        let what = match outcomes.recv_timeout(BOUND) {
            Ok(is_good) => {
                good += u64::from(is_good);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => "took longer than ten seconds",
            Err(RecvTimeoutError::Disconnected) => "panicked",
        };
        return Err(failure(arguments, number, what, &input.bytes));
    }
    Ok(good)
}

fn note(log: &mut std::fs::File, seed: u64, number: u64) {
    let written = log.rewind().and_then(|()| writeln!(log, "--seed {seed} --only {number:<20}"));
    written.expect("a file that was just created");
}

fn failure(arguments: &Arguments, number: u64, what: &str, input: &[u8]) -> String {
    let Arguments { seed, failure, .. } = arguments;
    let again = format!(
        "run it again: cargo run -p takt-model --example fuzz-reader -- --seed {seed} --only {number}"
    );
    let place = match std::fs::write(failure, input) {
        Ok(()) => format!("the input is in {}", failure.display()),
        Err(error) => format!("the input could not be written to {}: {error}", failure.display()),
    };
    format!("input {number} of seed {seed} {what}\n{place}\n{again}")
}

/// Starts a thread that reads each input and answers. A panic ends the thread and closes the
/// channel.
fn start_reader(root: PathBuf) -> (Sender<Input>, Receiver<bool>) {
    let (input_sender, inputs) = channel::<Input>();
    let (outcome_sender, outcomes) = channel();
    std::thread::spawn(move || {
        for input in inputs {
            if outcome_sender.send(read(&root, &input)).is_err() {
                return;
            }
        }
    });
    (input_sender, outcomes)
}

/// Reads the input as a system and as a board, and renders the mistakes as `takt` would. Returns
/// whether the input was valid as one of them.
fn read(root: &Path, input: &Input) -> bool {
    let Input { path, bytes } = input;
    let system = System::from_bytes(path, bytes.clone(), &[root.join("boards")]);
    let board = Board::from_bytes(path, bytes.clone());
    let good = system.is_ok() || board.is_ok();
    system.map_or_else(show, |system| sound::check_system(&system));
    board.map_or_else(show, |board| sound::check_board(&board));
    good
}

fn show(problems: Problems) {
    assert!(!problems.to_string().is_empty());
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let mut text = String::new();
    handler.render_report(&mut text, &problems).expect("writing to a string");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\r'), "{text:?}");
}

/// Every description of the repository, good and bad.
fn corpus(root: &Path) -> Corpus {
    let mut folders: Vec<PathBuf> =
        ["boards", "examples", "tests"].iter().map(|folder| root.join(folder)).collect();
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "toml" => paths.push(path),
                _ => {}
            }
        }
    }
    // The order of a directory's entries differs from host to host.
    paths.sort();
    let all: Vec<_> = paths.into_iter().map(load).collect();
    let good: Vec<_> = all.iter().filter(|file| read(root, file)).cloned().collect();
    assert!(!good.is_empty(), "no good description in {}", root.display());
    Corpus { good, all }
}

fn load(path: PathBuf) -> Input {
    let bytes = std::fs::read(&path).expect("a file of the repository");
    Input { path, bytes }
}
