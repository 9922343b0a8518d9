// SPDX-License-Identifier: Apache-2.0
//! Neighbours that load the memory: a task with hardly any work is released above one that streams
//! through memory, while the other cores write or read as fast as they can.

use fastrand::Rng;

use super::{Made, Shape};
use crate::body::Body;
use crate::sketch::{Sketch, Task};
use crate::{Expect, Machine};

pub const SHAPES: &[Shape] = &[
    Shape { name: "writers", make: |random, machine| system(random, machine, WRITE) },
    Shape { name: "one-bank", make: one_bank },
    Shape { name: "readers", make: |random, machine| system(random, machine, READ) },
    Shape { name: "mixed", make: mixed },
];

const WRITE: &str = "stream";
const READ: &str = "read_lines";
/// The bytes that each core streams through: twice the caches of the modelled boards.
const GROUND: u64 = 1 << 20;
/// The bytes among which all cores write to one bank.
const ONE_BANK: u64 = 32 << 20;

fn system(random: &mut Rng, machine: &Machine, how: &str) -> Made {
    build(random, machine, |core| format!("{how}(ground[{core}], {});", GROUND / 64), "")
}

fn mixed(random: &mut Rng, machine: &Machine) -> Made {
    let first = random.u32(0..2);
    let way = move |core: u32| if (core + first) % 2 == 0 { WRITE } else { READ };
    build(random, machine, |core| format!("{}(ground[{core}], {});", way(core), GROUND / 64), "")
}

/// Each store goes to another row of one bank. The number of a bank stays the same if two bits of
/// its mask change together, or a bit above all masks.
fn one_bank(random: &mut Rng, machine: &Machine) -> Made {
    let Some(timing) = &machine.board.timing else { return system(random, machine, WRITE) };
    let masks: Vec<u64> = timing.dram.banks.iter().map(|&mask| mask % ONE_BANK).collect();
    let above = masks.iter().map(|mask| mask.ilog2() + 1).max().unwrap_or(20);
    let blocks = (ONE_BANK >> above).max(1);
    let masks_text: Vec<String> = masks.iter().map(u64::to_string).collect();
    let code = format!(
        "static void one_bank(volatile unsigned char *from, unsigned long first)\n{{\n    \
             static const unsigned long masks[] = {{{}}};\n    \
             for (unsigned long line = 0; line < 4096; line += 64) {{\n        \
                 for (unsigned long row = 0; row < {blocks}ul << {count}; row++) {{\n            \
                     unsigned long at = line | ((row >> {count}) + first * 8) % {blocks} << {above};\n            \
                     for (unsigned i = 0; i < {count}; i++) {{\n                \
                         at ^= row >> i & 1 ? masks[i] : 0;\n            }}\n            \
                     from[at] = (unsigned char)row;\n        }}\n    }}\n}}\n",
        masks_text.join(", "),
        count = masks.len(),
    );
    let load = |core| format!("one_bank((volatile unsigned char *)ground[0], {core});");
    build(random, machine, load, &code)
}

fn build(random: &mut Rng, machine: &Machine, load: impl Fn(u32) -> String, code: &str) -> Made {
    let cores = machine.cores([2, 4, 8][random.usize(0..3)]);
    let mut sketch = Sketch::new(machine, cores);
    let (grounds, size) = if code.is_empty() { (cores, GROUND) } else { (1, ONE_BANK) };
    sketch.globals = format!(
        "static volatile unsigned long ground[{grounds}][{}] __attribute__((aligned(1 << 20)));\n{code}",
        size / 8
    );
    // The period is long enough for the caches to lose the kernel's lines.
    let period = (30 * machine.job_overhead()).max(3_000_000) + random.u64(0..10_000);
    let body = Body::new().executes(10_000);
    sketch.task(Task::new("empty", 0, 1, body).every(period, random.u64(0..period)));
    for core in 0..cores {
        let body = Body::new().text(load(core)).for_ever();
        sketch.task(Task::new(format!("load_{core}"), core, 60, body));
    }
    sketch.run_for = 16 * period;
    Made::new(sketch, Expect::HonestIfProved)
}
