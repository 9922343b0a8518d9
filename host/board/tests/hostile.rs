// SPDX-License-Identifier: Apache-2.0
//! What nobody means well: damaged programs, boards that are no machine, bytes that are no code, damaged snapshots. The
//! loader answers or complains and never puts anything outside of RAM; nothing panics or hangs.
//!
//! Each input follows from its number. `HOSTILE=FROM..TO` runs other numbers than the usual, which are few, as for a night:
//! `HOSTILE=1000..1000000 cargo test --release -p takt-board --test hostile`.

#[path = "common/boards.rs"]
mod boards;
#[path = "hostile/code.rs"]
mod code;
#[path = "common/program.rs"]
#[allow(dead_code)]
mod program;
#[path = "hostile/snapshots.rs"]
mod snapshots;

use takt_board::boot::load;

/// The usual numbers, or those that were asked for.
fn seeds(usual: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("HOSTILE") else { return usual };
    let range = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    range.unwrap_or_else(|| panic!("HOSTILE={text}: want FROM..TO"))
}

const RAM: std::ops::Range<u64> = 0x8000_0000..0x8100_0000;

/// Gives a field of the headers a value at which sums and comparisons go wrong.
fn field(random: &mut fastrand::Rng, bytes: &mut [u8]) {
    let words = bytes.len().min(512) / 8;
    let values = [0, 1, u64::MAX, u64::MAX - 7, 1 << 63, RAM.start, RAM.end, RAM.end - 1];
    let value = *random.choice(&values).expect("a value");
    let at = 8 * random.usize(..words.max(1));
    if let Some(word) = bytes.get_mut(at..at + 8) {
        word.copy_from_slice(&value.wrapping_add(random.u64(..2)).to_le_bytes());
    }
}

/// Changes some bytes, mostly of the headers; sometimes cuts or repeats a stretch.
fn damage(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.usize(1..8) {
        let end = if random.bool() { bytes.len().min(512) } else { bytes.len() };
        let at = random.usize(..end.max(1));
        match random.u8(0..5) {
            4 => field(random, bytes),
            0 => bytes[at] = random.u8(..),
            1 => bytes[at] = *random.choice([0, 1, 0x7f, 0x80, 0xff].iter()).expect("a byte"),
            2 => bytes[at] ^= 1 << random.u8(0..8),
            _ => bytes.truncate(at.max(1)),
        }
    }
}

#[test]
fn no_damaged_elf_makes_the_loader_panic() {
    let whole = std::fs::read(program::compile("locks.c", &["-DROUNDS=1"])).expect("a program");
    let rams = [RAM];
    assert!(load::parse("whole", &whole, &rams, RAM.start).is_ok());
    let mut refused = 0;
    let seeds = seeds(0..20_000);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut bytes = whole.clone();
        damage(&mut random, &mut bytes);
        match load::parse("damaged", &bytes, &rams, RAM.start) {
            Ok(program) => {
                for piece in program.pieces {
                    let end = piece.address.checked_add(piece.bytes.len() as u64);
                    let inside =
                        piece.address >= RAM.start && end.is_some_and(|end| end <= RAM.end);
                    assert!(inside, "seed {seed}: {piece:?}");
                }
                for range in program.occupied {
                    let inside = range.start >= RAM.start && range.end <= RAM.end;
                    assert!(inside && range.start <= range.end, "seed {seed}: {range:x?}");
                }
            }
            Err(error) => {
                assert!(
                    error.to_string().contains("damaged"),
                    "seed {seed}: {error} names the file"
                );
                refused += 1;
            }
        }
    }
    assert!(refused > count / 10, "{refused} of {count} were refused");
}
