// SPDX-License-Identifier: Apache-2.0
#[path = "../tests/common/program.rs"]
#[allow(dead_code)]
mod program;
use program::*;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    s.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let harts: u32 = a[2].parse().unwrap();
    let opts: Vec<&str> =
        a[4..].iter().map(|s| s.as_str()).filter(|s| s.starts_with("-D")).collect();
    let elf = compile(&a[3], &opts);
    let b = board(&a[1]);
    let functional_mode = a.iter().any(|s| s == "functional");
    let mut m =
        if functional_mode { functional(&b, harts, &elf).0 } else { timed(&b, harts, &elf) };
    if a.iter().any(|s| s == "strict") {
        m.order = takt_board::engine::Order::Strict;
    }
    let c0 = m.now;
    let i0 = m.instructions();
    let t = cpu();
    finish(&mut m, 1_000_000_000_000);
    let s = cpu() - t;
    println!(
        "{} {harts} {:?}: {:.1} MIPS, {:.2} Mcycles/s, {:.3} Mtrans/s, cycles {}, {:.2}s",
        a[1],
        &a[3..],
        (m.instructions() - i0) as f64 / s / 1e6,
        (m.now - c0) as f64 / s / 1e6,
        m.world.transactions_done as f64 / s / 1e6,
        m.now - c0,
        s
    );
}
