// SPDX-License-Identifier: Apache-2.0
//! Prints how long the search for an I/O schedule takes: the median and the longest of 100 random systems with 3 to 63 application
//! cores, an I/O core and as many devices. `cargo run --release -p takt-analysis --example io`.
//!
//! Each application core has four applications with a period of 10, 20 or 40 ms each, which use 60 % of it; input and output of all use
//! 30 % of the I/O core and at most 30 % of each device. Inputs and outputs take devices at random. The limit is from one
//! period on downwards.

use std::time::Instant;

use fastrand::Rng;
use takt_analysis::io::{Chain, Effort, Statement, Window, check, necessary, search};

const SYSTEMS: u64 = 100;
const APPLICATIONS: usize = 4;
const BASE: u64 = 10_000_000;

fn main() {
    println!("cores   limit   transactions   solved   median   longest");
    for cores in [3, 7, 15, 31, 63] {
        for percent in [200, 100, 70] {
            row(cores, percent);
        }
    }
}

fn row(cores: usize, percent: u64) {
    let (mut times, mut solved) = (Vec::new(), 0);
    for seed in 0..SYSTEMS {
        let statement = system(cores, percent, &mut Rng::with_seed(seed));
        let begin = Instant::now();
        necessary(&statement).expect("the shares leave room for each pair");
        let answer = search(&statement, seed, Effort::default());
        let is_valid = answer.is_ok_and(|offsets| {
            check(&statement, &offsets).expect("the checker agrees");
            true
        });
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        solved += u64::from(is_valid);
    }
    times.sort_by(f64::total_cmp);
    let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
    let count = cores * APPLICATIONS;
    println!(
        "{cores:>5} {percent:>5} % {count:>14} {solved:>8} {median:>6.1} ms {longest:>6.1} ms"
    );
}

/// The I/O core is resource 0; then come the application cores, then the devices.
fn system(cores: usize, percent: u64, random: &mut Rng) -> Statement {
    let mut statement = Statement { resources: 1 + 2 * cores, ..Statement::default() };
    let periods: Vec<_> = (0..cores * APPLICATIONS).map(|_| BASE << random.u32(..3)).collect();
    let shares = |random: &mut Rng, count: usize, whole: f64| -> Vec<f64> {
        // Uneven ones, the largest three times the smallest.
        let parts: Vec<_> = (0..count).map(|_| 0.5 + random.f64()).collect();
        let sum: f64 = parts.iter().sum();
        parts.into_iter().map(|part| part / sum * whole).collect()
    };
    let of_io_core = shares(random, 2 * periods.len(), 0.3);
    // Each device serves the inputs or outputs of any applications; 2 / APPLICATIONS of all windows on each are 30 %.
    let of_devices = shares(random, 2 * periods.len(), 0.3 * cores as f64 / 2.0);
    for core in 0..cores {
        let of_core = shares(random, APPLICATIONS, 0.6);
        for (at, share) in of_core.iter().enumerate() {
            let number = core * APPLICATIONS + at;
            let period = periods[number];
            let first = statement.windows.len();
            let mut push = |resource: usize, share: f64, is_device: bool| {
                // The share is one of the base period, so that the windows of a resource fit in pairs.
                let duration = ((BASE as f64 * share) as u64).max(1);
                statement.windows.push(Window {
                    resource,
                    period,
                    duration,
                    fixed: None,
                    is_device,
                });
            };
            let device = 1 + cores + random.usize(..cores);
            push(device, of_devices[2 * number], false);
            push(0, of_io_core[2 * number], true);
            push(1 + core, *share, false);
            push(0, of_io_core[2 * number + 1], true);
            push(1 + cores + random.usize(..cores), of_devices[2 * number + 1], false);
            let windows = (first..statement.windows.len()).collect();
            statement.chains.push(Chain { windows, limit: period * percent / 100 });
        }
    }
    statement
}
