// SPDX-License-Identifier: Apache-2.0
//! Inputs of the fuzzer: files of the corpus, changed at random in bytes, words and lines.

use std::path::PathBuf;

use fastrand::Rng;

/// Longer inputs slow the search; the limit of the reader has tests of its own.
const LONGEST: usize = 128 << 10;

/// Values and pieces of TOML that have a meaning somewhere.
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

/// A description, and where it stands: what it names is looked for there.
#[derive(Clone)]
pub struct Input {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// Files to change: those that are good, and all.
pub struct Corpus {
    pub good: Vec<Input>,
    pub all: Vec<Input>,
}

/// Half of the inputs begin as good ones, and many change little: so that some are good still.
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

/// One change; `other` is a file to take pieces from.
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

/// Leaves most files good, with other relations between their values.
fn change_digit(rng: &mut Rng, bytes: &mut [u8]) {
    let digits = bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_digit());
    let places: Vec<usize> = digits.map(|(place, _)| place).collect();
    if !places.is_empty() {
        bytes[*pick(rng, &places)] = rng.u8(b'0'..=b'9');
    }
}

/// Puts a word behind a random `=`, in place of the rest of the line.
fn replace_value(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let places: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, b)| **b == b'=').map(|(i, _)| i + 1).collect();
    if !places.is_empty() {
        let start = *pick(rng, &places);
        let length = bytes[start..].iter().position(|b| *b == b'\n').unwrap_or(0);
        replace(bytes, start, length, pick(rng, WORDS).as_bytes());
    }
}

/// Puts a few lines of another file in place of `removed` lines.
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

/// Repeats a piece, which nests what opens and doubles what names.
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

/// A place between two bytes, or at either end.
fn at(rng: &mut Rng, bytes: &[u8]) -> usize {
    rng.usize(..=bytes.len())
}

fn pick<'a, T>(rng: &mut Rng, list: &'a [T]) -> &'a T {
    &list[rng.usize(..list.len())]
}
