// SPDX-License-Identifier: Apache-2.0
//! Damaged programs and boards that are no machine: the loader answers or complains, it never panics, and never puts anything
//! outside of RAM.

#[path = "common/program.rs"]
#[allow(dead_code)]
mod program;

use takt_board::boot::load;

const RAM: std::ops::Range<u64> = 0x8000_0000..0x8100_0000;

/// Changes some bytes, mostly of the headers; sometimes cuts or repeats a stretch.
fn damage(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.usize(1..8) {
        let end = if random.bool() { bytes.len().min(512) } else { bytes.len() };
        let at = random.usize(..end.max(1));
        match random.u8(0..4) {
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
    for seed in 0..20_000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut bytes = whole.clone();
        damage(&mut random, &mut bytes);
        match load::parse("damaged", &bytes, &rams, RAM.start) {
            Ok(program) => {
                for piece in program.pieces {
                    let end = piece.address + piece.bytes.len() as u64;
                    assert!(piece.address >= RAM.start && end <= RAM.end, "seed {seed}: {piece:?}");
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
    assert!(refused > 2_000, "{refused} of 20,000 were refused");
}
