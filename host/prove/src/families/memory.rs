// SPDX-License-Identifier: Apache-2.0
//! Neighbours that load the memory: a task with nothing to do is released above one that streams
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
/// Bytes that each core goes through: twice the caches of the boards that are modelled.
const GROUND: u64 = 1 << 20;

fn system(random: &mut Rng, machine: &Machine, how: &str) -> Made {
    build(random, machine, |_| format!("{how}(ground[core], {});", GROUND / 64), "")
}

fn mixed(random: &mut Rng, machine: &Machine) -> Made {
    let first = random.u32(0..2);
    let way = move |core: u32| if (core + first) % 2 == 0 { WRITE } else { READ };
    build(random, machine, |core| format!("{}(ground[core], {});", way(core), GROUND / 64), "")
}

/// Each store goes to another row of one bank: bits that a bank's mask pairs change together.
fn one_bank(random: &mut Rng, machine: &Machine) -> Made {
    let Some(timing) = &machine.board.timing else { return system(random, machine, WRITE) };
    let steps: Vec<u64> = timing.dram.banks.iter().map(|&mask| mask % (4 << 20)).collect();
    let code = format!(
        "static void one_bank(volatile unsigned char *from)\n{{\n    \
             static const unsigned long steps[] = {{{}}};\n    \
             for (unsigned long line = 0; line < 4096; line += 64) {{\n        \
                 for (unsigned long row = 0; row < 1ul << {}; row++) {{\n            \
                     unsigned long at = line;\n            \
                     for (unsigned i = 0; i < {}; i++) {{\n                \
                         at ^= row >> i & 1 ? steps[i] : 0;\n            }}\n            \
                     from[at] = (unsigned char)row;\n        }}\n    }}\n}}\n",
        steps.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
        steps.len(),
        steps.len(),
    );
    build(random, machine, |_| "one_bank((volatile unsigned char *)ground[core]);".into(), &code)
}

fn build(random: &mut Rng, machine: &Machine, load: impl Fn(u32) -> String, code: &str) -> Made {
    let cores = machine.cores([2, 4, 8][random.usize(0..3)]);
    let mut sketch = Sketch::new(machine, cores);
    let size = if code.is_empty() { GROUND } else { 4 << 20 };
    sketch.globals = format!(
        "static volatile unsigned long ground[{cores}][{}] __attribute__((aligned(4096)));\n{code}",
        size / 8
    );
    let period = (12 * machine.job_overhead()).max(500_000) + random.u64(0..10_000);
    let body = Body::new().executes(10_000);
    sketch.task(Task::new("empty", 0, 1, body).every(period, random.u64(0..period)));
    for core in 0..cores {
        let text = format!("const unsigned core = {core};");
        let body = Body::new().text(text).text(load(core)).for_ever();
        sketch.task(Task::new(format!("load_{core}"), core, 60, body));
    }
    sketch.run_for = 15_000_000;
    Made::new(sketch, Expect::HonestIfProved)
}
