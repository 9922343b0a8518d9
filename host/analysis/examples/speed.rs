// SPDX-License-Identifier: Apache-2.0
//! Prints how long the analysis of one core takes, by its number of tasks: the median of 200 random sets, each analysed
//! until 1 ms has passed. `cargo run --release -p takt-analysis --example speed`.

#[allow(dead_code)] // the tests use the rest
#[path = "../tests/common/build.rs"]
mod build;

use std::hint::black_box;
use std::time::{Duration, Instant};

use takt_analysis::{analyse, assign};
use takt_model::{Activation, Nanos, System};

const SETS: u64 = 200;
const MILLISECOND: u64 = 1_000_000;
/// The flight controller's periods. Their least common multiple is that of the sets, so offsets can be told apart.
const PERIODS: [u64; 6] = [5, 10, 20, 50, 100, 200];
/// What a busy core is used, in thousandths.
const UTILISATION: u64 = 700;

fn main() {
    println!("tasks   median   releases at known times");
    for tasks in [10, 20, 40] {
        println!(
            "{tasks:>5} {:>5.1} us  {:>5.1} us",
            median(tasks, sporadic),
            median(tasks, offsets)
        );
    }
}

/// The median time of the analysis in microseconds.
fn median(tasks: u64, set: fn(u64, &mut fastrand::Rng) -> System) -> f64 {
    let mut random = fastrand::Rng::with_seed(tasks);
    let mut times: Vec<f64> = (0..SETS).map(|_| time(&set(tasks, &mut random))).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn time(system: &System) -> f64 {
    let assignments = assign(system).expect("every task has its core");
    let begin = Instant::now();
    let mut runs = 0_u32;
    while begin.elapsed() < Duration::from_millis(1) {
        black_box(analyse(black_box(system), &assignments));
        runs += 1;
    }
    begin.elapsed().as_secs_f64() * 1e6 / f64::from(runs)
}

/// A core with a share of the utilisation for each task, and priorities by period.
fn offsets(tasks: u64, random: &mut fastrand::Rng) -> System {
    let mut periods: Vec<u64> =
        (0..tasks).map(|_| PERIODS[random.usize(..PERIODS.len())] * MILLISECOND).collect();
    periods.sort_unstable();
    let shares: Vec<u64> = (0..tasks).map(|_| random.u64(1..=1000)).collect();
    let all: u64 = shares.iter().sum();
    let task = |(number, (period, share)): (usize, (&u64, &u64))| {
        let wcet = period * share / all * UTILISATION / 1000;
        let mut task = build::task(&format!("task_{number}"), number as u8 + 1, wcet, *period);
        let offset = Nanos(random.u64(..*period / MILLISECOND) * MILLISECOND);
        task.activation = Activation::Periodic { period: Nanos(*period), offset };
        task
    };
    let tasks = periods.iter().zip(&shares).enumerate().map(task).collect();
    let mut system = build::system(tasks);
    let overheads = &mut system.board.overheads;
    (overheads.timer_interrupt, overheads.release) = (Nanos(400), Nanos(600));
    (overheads.dispatch, overheads.preemption) = (Nanos(800), Nanos(500));
    overheads.kernel_section = Nanos(2000);
    system
}

/// The same tasks, whose releases come at unknown times.
fn sporadic(tasks: u64, random: &mut fastrand::Rng) -> System {
    let mut system = offsets(tasks, random);
    for task in &mut system.tasks {
        if let Activation::Periodic { period, .. } = task.activation {
            task.activation = Activation::Sporadic { separation: period };
        }
    }
    system
}
