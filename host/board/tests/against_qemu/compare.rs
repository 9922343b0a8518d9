// SPDX-License-Identifier: Apache-2.0
//! Two logs, word by word.

use super::image::{LOG, LOG_END, RAM};

const TRAP: u64 = 1;
const TRAP_OF_S: u64 = 2;
const DUMP: u64 = 3;

pub const TRAP_WORDS: [&str; 5] = ["kind", "cause", "epc", "tval", "mstatus"];
const DUMP_CSRS: [&str; 14] = [
    "fcsr",
    "mscratch",
    "sscratch",
    "stvec",
    "sepc",
    "scause",
    "stval",
    "medeleg",
    "mideleg",
    "mie",
    "mip",
    "satp",
    "mcounteren",
    "scounteren",
];
const DUMP_WORDS: usize = 3 + 31 + 32 + DUMP_CSRS.len() + 1;

/// A log's first difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which block's, and which of its rounds.
    pub block: u64,
    pub round: u64,
    /// Traps recorded in this round before.
    pub traps: usize,
    /// What differs: `x5`, `fcsr`, or `epc of a trap`.
    pub word: String,
    pub qemu: u64,
    pub board: u64,
    /// A trap's words on both, or none.
    pub trap: Vec<(u64, u64)>,
}

fn dump_word(index: usize) -> String {
    match index {
        0 => "kind".into(),
        1 => "block".into(),
        2 => "round".into(),
        3..34 => format!("x{}", index - 2),
        34..66 => format!("f{}", index - 34),
        _ if index < DUMP_WORDS - 1 => DUMP_CSRS[index - 66].into(),
        _ => "checksum of memory".into(),
    }
}

fn words(ram: &[u8]) -> impl Iterator<Item = u64> + '_ {
    ram[(LOG - RAM) as usize..(LOG_END - RAM) as usize]
        .chunks_exact(8)
        .map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes")))
}

/// The number of dumps in QEMU's log; an error at the first difference.
pub fn logs(qemu: &[u8], board: &[u8]) -> Result<u64, Difference> {
    let ram = qemu;
    let (mut qemu, mut board) = (words(qemu), words(board));
    let (mut block, mut round, mut traps, mut dumps) = (0, 0, 0, 0);
    loop {
        let kind = qemu.next().unwrap_or(0);
        let length = match kind {
            TRAP | TRAP_OF_S => TRAP_WORDS.len(),
            DUMP => DUMP_WORDS,
            _ => 1,
        };
        let record: Vec<_> = std::iter::once((kind, board.next().unwrap_or(0)))
            .chain((1..length).map(|_| (qemu.next().unwrap_or(0), board.next().unwrap_or(0))))
            .collect();
        for (index, &(q, b)) in record.iter().enumerate() {
            if !equal(ram, index, &record) {
                let word = match length {
                    DUMP_WORDS => dump_word(index),
                    _ => format!("{} of trap {traps} of the round", TRAP_WORDS[index]),
                };
                let trap = if length == TRAP_WORDS.len() { record.clone() } else { vec![] };
                return Err(Difference { block, round, traps, word, qemu: q, board: b, trap });
            }
        }
        match kind {
            TRAP | TRAP_OF_S => traps += 1,
            DUMP => {
                dumps += 1;
                traps = 0;
                // The next round is of this block or the next; the description of the next says so
                // too.
                (block, round) = (record[1].0, record[2].0 + 1);
            }
            _ => return Ok(dumps),
        }
    }
}

/// Whether both say the same, but for what `docs/src/board-qemu.md` lists.
fn equal(ram: &[u8], index: usize, record: &[(u64, u64)]) -> bool {
    let (qemu, board) = record[index];
    if qemu == board {
        return true;
    }
    let trap = matches!(record[0].0, TRAP | TRAP_OF_S);
    match TRAP_WORDS[index.min(4)] {
        "cause" if trap => amo_refused(instruction(ram, record[2].0), qemu, board),
        "mstatus" if trap => dirty(qemu, board),
        "tval" if trap => misaligned_load_refused(record[1].0, qemu, board),
        _ => false,
    }
}

const LOAD_ACCESS_FAULT: u64 = 5;
const STORE_ACCESS_FAULT: u64 = 7;

/// QEMU does the load of an atomic operation first where no memory is.
fn amo_refused(instruction: u32, qemu: u64, board: u64) -> bool {
    const AMO: u32 = 0x2f;
    // Neither LR nor SC.
    let amo = instruction & 0x7f == AMO && instruction >> 28 & 1 == 0;
    amo && qemu == LOAD_ACCESS_FAULT && board == STORE_ACCESS_FAULT
}

/// FS is Dirty on the board, whose instructions all count as changing what they may change; QEMU
/// forgets those that only raise flags.
fn dirty(qemu: u64, board: u64) -> bool {
    const FS: u64 = 3 << 13;
    const SD: u64 = 1 << 63;
    qemu & FS != 0 && qemu | FS | SD == board
}

/// QEMU divides a misaligned load from where no memory is, and names the aligned address before it.
fn misaligned_load_refused(cause: u64, qemu: u64, board: u64) -> bool {
    cause == LOAD_ACCESS_FAULT && [2, 4, 8].iter().any(|size| qemu == board & !(size - 1))
}

/// What stands at an address of the generated code, as any mode sees it.
fn instruction(ram: &[u8], pc: u64) -> u32 {
    let at = (pc & 0x3fff_ffff) as usize;
    ram.get(at..at + 4).map_or(0, |bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")))
}
