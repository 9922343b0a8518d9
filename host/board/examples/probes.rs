// SPDX-License-Identifier: Apache-2.0
//! Prints what programs measure on the boards, as the tables of `docs/src/board-timing.md`.

#[path = "../tests/probes/bandwidth.rs"]
mod bandwidth;
#[path = "../tests/probes/bench.rs"]
mod bench;
#[path = "../tests/probes/curves.rs"]
mod curves;
#[path = "../tests/probes/formula.rs"]
mod formula;
#[path = "../tests/probes/latency.rs"]
mod latency;
#[path = "../tests/common/program.rs"]
#[allow(dead_code)]
mod program;
#[path = "../tests/probes/sharing.rs"]
mod sharing;

use bench::board;
use curves::Point;
use latency::Reading;

fn main() {
    for name in ["virt", "tile72", "xeon40", "p4080", "sg2042"] {
        let board = board(name);
        let mut readings = [latency::private(&board), latency::home(&board)].concat();
        readings.extend(latency::memory(&board));
        readings.extend(sharing::modified(&board));
        readings.extend(sharing::ping_pong(&board));
        readings.extend(sharing::atomics(&board));
        readings.extend(sharing::interrupts(&board));
        readings.extend(bandwidth::stream(&board));
        table(name, &readings);
    }
    let tile72 = board("tile72");
    let cores = [1, 2, 4, 8, 16];
    curve("tile72: rows of one bank, or of all banks, of a controller", "cores", {
        cores.iter().flat_map(|cores| curves::banks(&tile72, *cores)).collect()
    });
    let cores = [1, 8, 16, 32, 64, 72];
    curve("tile72: atomic operations at one home", "cores", {
        cores.iter().map(|cores| curves::hot_home(&tile72, *cores)).collect()
    });
    curve("tile72: lines across the middle of the mesh, by a link's width", "bytes a cycle", {
        [8, 4, 2, 1].iter().flat_map(|width| curves::bisection(&tile72, *width)).collect()
    });
    let xeon40 = board("xeon40");
    curve("xeon40: streams from another socket's L3", "cores", {
        [1, 2, 4, 6, 8, 10].iter().map(|cores| curves::sockets(&xeon40, *cores)).collect()
    });
}

fn table(name: &str, readings: &[Reading]) {
    println!("### {name}\n\n| cycles of | by the board's file | measured |\n|---|--:|--:|");
    for reading in readings {
        let note = if reading.good() { "" } else { " **off by more than 2 %**" };
        println!("{reading}{note}");
    }
    println!();
}

fn curve(title: &str, x: &str, points: Vec<Point>) {
    println!(
        "### {title}\n\n| {x} | | cycles for each access | of the bottleneck alone |\n|--:|---|--:|--:|"
    );
    points.iter().for_each(|point| println!("{point}"));
    println!();
}
