// SPDX-License-Identifier: Apache-2.0
//! Prints what programs measure on the boards, as the tables of `docs/src/board-timing.md`.

#[path = "../tests/probes/bandwidth.rs"]
mod bandwidth;
#[path = "../tests/probes/bench.rs"]
#[allow(dead_code)]
mod bench;
#[path = "../tests/probes/clusters.rs"]
mod clusters;
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
        let readings = [
            latency::private(&board),
            some(latency::home(&board)),
            latency::memory(&board),
            some(sharing::modified(&board)),
            clusters::all(&board),
            some(sharing::ping_pong(&board)),
            some(sharing::atomics(&board)),
            some(sharing::interrupts(&board)),
            bandwidth::stream(&board),
        ]
        .concat();
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

/// Keeps the ends and two between where there are many distances.
fn some(readings: Vec<Reading>) -> Vec<Reading> {
    let last = readings.len() - 1;
    if last < 6 {
        return readings;
    }
    [0, last / 3, 2 * last / 3, last].iter().map(|at| readings[*at].clone()).collect()
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
    println!("### {title}\n\n| {x} | | cycles for each access | no less than |\n|--:|---|--:|--:|");
    points.iter().for_each(|point| println!("{point}"));
    println!();
}
