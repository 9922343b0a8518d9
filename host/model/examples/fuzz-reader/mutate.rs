// SPDX-License-Identifier: Apache-2.0
//! The inputs of the fuzzer: files of the corpus with random changes of bytes, words and lines.

use std::path::PathBuf;

use fastrand::Rng;

/// The length of the longest input in bytes. Longer ones slow the search down, and the reader's
/// limit has its own tests.
const LONGEST: usize = 128 << 10;

/// Values and fragments of TOML that have a meaning somewhere in a description.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "0", "1", "-1", "64", "65", "128", "129", "255", "256", "65536", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "0x8000000000000000", "1.5", "nan", "inf",
    "1e400", "true", "\"\"", "\"0ns\"", "\"1ns\"", "\"0.1ns\"", "\"10ms\"",
    "\"9223372036854775807ns\"", "\"9223372036.854775808s\"", "\"99999999999s\"", "\"1.ms\"",
    "\"1B\"", "\"4KiB\"", "\"16MiB\"", "\"17179869184GiB\"", "\"67108864GiB\"", "\"0x0\"",
    "\"0xfffffffffffff000\"", "\"0x80000000\"", "\"0x\"", "\"0x+1\"", "\"virt\"", "\"virt1\"",
    "\"virt128\"", "\"../x.toml\"", "\".toml\"", "\"boards/load_outside.toml\"", "\"/dev/zero\"",
    "\"application.c\"", "\"a\\u0000b\"", "\"\\u001b[31m\"", "\"fifo\"", "\"priority\"",
    "\"assumed\"", "\"control\"", "\"s\"", "\"int\"", "\"takt_x\"", "[]", "{}", "[[]]", "[{}]",
    "\"\"\"", "'''", "\\", "1979-05-27T07:32:00Z", "#", "=", ".", ",", "[", "]", "{", "}", "\r\n",
    "\r", "\0", "\u{feff}", "\u{202e}", "é", "𝄞", "\t", "[system]", "[run]", "[kernel]", "[[task]]",
    "[[semaphore]]", "[[buffer]]", "[board]", "[[memory]]", "[overheads]", "period", "separation",
    "offset", "jitter", "deadline", "wcet", "core", "stack", "queue", "start", "suspends", "uses",
    "hold", "initial", "maximum", "order", "readers", "writer", "size", "base", "load", "name",
    "entry", "argument", "sources", "include", "\"1GHz\"", "\"32.768kHz\"", "\"0.5Hz\"",
    "\"18446744073GHz\"", "\"64B\"", "\"1MiB\"", "\"mesh\"", "\"ring\"", "\"bus\"", "\"full\"",
    "\"hash\"", "\"page\"", "\"nodes\"", "\"home\"", "\"any\"", "[0, 1]", "[255]", "[\"0x40\"]",
    "[\"0x1040\", \"0x80\"]", "[core]", "[l1i]", "[l1d]", "[l2]", "[tlb]", "[coherence]",
    "[coherence.cache]", "[cluster]", "[cluster.cache]", "[interconnect]", "[dram]", "[devices]", "hart_ids", "frequency", "timebase",
    "ways", "hit", "index", "homes", "nodes", "interleave", "banks", "row", "shape", "columns", "rows",
];

/// A description, and the path relative to which the files that it names are looked up.
#[derive(Clone)]
pub struct Input {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// The files to mutate: the valid ones, and all.
pub struct Corpus {
    pub good: Vec<Input>,
    pub all: Vec<Input>,
}

/// Creates an input. Half of the inputs begin as valid files, and many are changed only a little,
/// so that some remain valid.
pub fn input(corpus: &Corpus, seed: u64, number: u64) -> Input {
    let rng = &mut Rng::with_seed(seed.rotate_left(32) ^ number);
    let files = if rng.bool() { &corpus.good } else { &corpus.all };
    let mut input = pick(rng, files).clone();
    for _ in 0..1 << rng.usize(0..4) {
        let other = pick(rng, files);
        mutate(rng, &mut input.bytes, &other.bytes);
        input.bytes.truncate(LONGEST);
    }
    input
}

/// Makes one change; `other` is a file to take pieces from.
fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    match rng.u8(0..16) {
        0 => replace(bytes, at(rng, bytes), 1, &[rng.u8(..)]),
        1 => {
            let length = rng.usize(0..20);
            replace(bytes, at(rng, bytes), length, b"");
        }
        2 => replace(bytes, at(rng, bytes), 0, pick(rng, WORDS).as_bytes()),
        3..=6 => replace_value(rng, bytes),
        7 => replace_line(rng, bytes, other, 1),
        8 => replace_line(rng, bytes, other, 0),
        9 => {
            let own = bytes.clone();
            replace_line(rng, bytes, &own, 0);
        }
        10 => repeat(rng, bytes),
        11..=14 => change_digit(rng, bytes),
        _ => {
            let keep = at(rng, bytes);
            bytes.truncate(keep);
            bytes.extend_from_slice(&other[at(rng, other)..]);
        }
    }
}

/// Changes a digit: most files remain valid, with other relations between their values.
fn change_digit(rng: &mut Rng, bytes: &mut [u8]) {
    let digits = bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_digit());
    let places: Vec<usize> = digits.map(|(place, _)| place).collect();
    if !places.is_empty() {
        bytes[*pick(rng, &places)] = rng.u8(b'0'..=b'9');
    }
}

/// Replaces the value behind a random `=` with a word.
fn replace_value(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let places: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, b)| **b == b'=').map(|(i, _)| i + 1).collect();
    if !places.is_empty() {
        let start = *pick(rng, &places);
        let length = bytes[start..].iter().position(|b| *b == b'\n').unwrap_or(0);
        replace(bytes, start, length, pick(rng, WORDS).as_bytes());
    }
}

/// Replaces `removed` lines with a few lines of another file.
fn replace_line(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8], removed: usize) {
    let others: Vec<&[u8]> = other.split_inclusive(|b| *b == b'\n').collect();
    if others.is_empty() {
        return;
    }
    let first = rng.usize(..others.len());
    let end = (first + rng.usize(1..8)).min(others.len());
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    let place = rng.usize(..=lines.len());
    let removed = removed.min(lines.len() - place);
    lines.splice(place..place + removed, others[first..end].iter().copied());
    *bytes = lines.concat();
}

/// Repeats a piece of the file, which nests opened brackets and duplicates names.
fn repeat(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let start = at(rng, bytes);
    let length = rng.usize(1..200).min(bytes.len() - start);
    let times = 1 << rng.usize(0..12);
    let piece = bytes[start..start + length].repeat(times);
    replace(bytes, start, 0, &piece[..piece.len().min(LONGEST)]);
}

fn replace(bytes: &mut Vec<u8>, start: usize, length: usize, with: &[u8]) {
    let end = (start + length).min(bytes.len());
    bytes.splice(start..end, with.iter().copied());
}

/// A random position between two bytes, or at either end.
fn at(rng: &mut Rng, bytes: &[u8]) -> usize {
    rng.usize(..=bytes.len())
}

fn pick<'a, T>(rng: &mut Rng, list: &'a [T]) -> &'a T {
    &list[rng.usize(..list.len())]
}
