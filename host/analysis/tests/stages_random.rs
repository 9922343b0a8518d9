// SPDX-License-Identifier: Apache-2.0
//! Random tasks that fork, against a simulation of their strands on cores that have no overheads. The simulation is written from
//! the rules of fork and join, and shares nothing with the analysis.

mod common;

use common::build::{critical, fork, on_core, system, task};
use takt_analysis::{analyse, assign};
use takt_model::*;

/// A unit of the simulation: a tick of the boards' clock, so that releases may lie on it.
const TICK: u64 = 100;
const CORES: u32 = 3;
const SETS: u64 = 3000;
const RUNS: u64 = 4;
const HORIZON: u64 = 1500;

/// A task: by stages of (serial, strand), on the cores of its threads; a plain task has one stage without a strand.
struct Model {
    index: usize,
    priority: u8,
    cores: Vec<u32>,
    stages: Vec<(Option<u64>, Option<u64>)>,
    /// For each stage the longest hold of the one critical section in each of its strands; 0: it has none.
    holds: Vec<u64>,
    period: u64,
    offset: u64,
    is_periodic: bool,
}

/// What a job has still to do: for each of the task's threads, in each step.
struct Job {
    release: u64,
    step: usize,
    left: Vec<Left>,
}

/// What a thread has still to execute in a step. It requests the critical section when so much is left, and leaves it when so
/// much is left; without a section both are the same.
#[derive(Clone, Copy)]
struct Left {
    all: u64,
    requests: u64,
    leaves: u64,
}

impl Model {
    fn random(random: &mut fastrand::Rng, index: usize, priority: u8) -> Model {
        let forks = index < 2;
        let mut cores: Vec<u32> = (0..CORES).collect();
        random.shuffle(&mut cores);
        cores.truncate(if forks { random.usize(2..=CORES as usize) } else { 1 });
        let period = random.u64(30..150);
        let strand = |random: &mut fastrand::Rng| random.u64(1..=1 + period / 8);
        let mut stages = Vec::new();
        for number in 0..if forks { random.usize(1..=3) } else { 1 } {
            let begins = (number == 0 || random.u8(0..3) > 0).then(|| random.u64(1..=6));
            stages.push((begins, forks.then(|| strand(random))));
        }
        if forks {
            stages.push((Some(random.u64(1..=5)), None));
        } else {
            stages[0].0 = Some(random.u64(1..=period / 4));
        }
        let hold = |strand: &Option<u64>, random: &mut fastrand::Rng| match strand {
            Some(strand) if random.bool() => random.u64(1..=(*strand).min(4)),
            _ => 0,
        };
        let holds = stages.iter().map(|(_, strand)| hold(strand, random)).collect();
        let offset = random.u64(0..period);
        let is_periodic = random.bool();
        Model { index, priority, cores, stages, holds, period, offset, is_periodic }
    }

    /// The execution of each thread in each step, and its hold.
    fn steps(&self) -> Vec<Vec<(u64, u64)>> {
        let mut steps = Vec::new();
        for ((serial, strand), hold) in self.stages.iter().zip(&self.holds) {
            steps.extend(serial.map(|serial| vec![(serial, 0)]));
            steps.extend(strand.map(|strand| vec![(strand, *hold); self.cores.len()]));
        }
        steps
    }

    fn described(&self) -> Task {
        let sum = self.steps().iter().map(|step| step[0].0).sum::<u64>();
        let name = format!("t{}", self.index);
        let mut task = task(&name, self.priority, sum * TICK, self.period * TICK);
        task.activation = match self.is_periodic {
            true => Activation::Periodic {
                period: Nanos(self.period * TICK),
                offset: Nanos(self.offset * TICK),
            },
            false => Activation::Sporadic { separation: Nanos(self.period * TICK) },
        };
        on_core(self.cores[0], task)
    }

    fn next_release(&self, random: &mut fastrand::Rng, after: u64) -> u64 {
        let pause = if self.is_periodic || random.bool() { 0 } else { random.u64(0..20) };
        after + self.period + pause
    }
}

/// A step of a thread that executes so long, or shorter, and holds the section so long, or shorter, at any time in it.
fn left((all, hold): (u64, u64), shortens: bool, random: &mut fastrand::Rng) -> Left {
    let most = |it: u64, random: &mut fastrand::Rng| match it {
        0 => 0,
        it if shortens => random.u64(1..=it),
        it => it,
    };
    let all = most(all, random);
    let hold = most(hold.min(all), random);
    let leaves = random.u64(0..=all - hold);
    Left { all, requests: leaves + hold, leaves }
}

/// The longest response of each task in one run. In each tick each core executes the highest thread that has something to do;
/// but one that is in the queue of the section keeps its core, and executes if it is the first there.
fn simulate(models: &[Model], random: &mut fastrand::Rng) -> Vec<u64> {
    let mut longest = vec![0; models.len()];
    let first = |model: &Model, random: &mut fastrand::Rng| match model.is_periodic {
        true => model.offset,
        false => random.u64(0..model.period),
    };
    let mut next: Vec<u64> = models.iter().map(|it| first(it, random)).collect();
    let mut jobs: Vec<Vec<Job>> = models.iter().map(|_| Vec::new()).collect();
    let steps: Vec<_> = models.iter().map(Model::steps).collect();
    let shortens = random.bool();
    let work = |model: usize, step: usize, random: &mut fastrand::Rng| -> Vec<Left> {
        steps[model][step].iter().map(|it| left(*it, shortens, random)).collect()
    };
    // The cores whose threads hold the section or wait for it, with model and thread.
    let mut queue: Vec<(u32, usize, usize)> = Vec::new();
    for now in 0..HORIZON {
        for (index, model) in models.iter().enumerate() {
            if next[index] == now {
                jobs[index].push(Job { release: now, step: 0, left: work(index, 0, random) });
                next[index] = model.next_release(random, now);
            }
        }
        for core in 0..CORES {
            // Models are in the order of their priorities; of the jobs of one the oldest comes first.
            let ready = models.iter().enumerate().find_map(|(index, model)| {
                let thread = model.cores.iter().position(|it| *it == core)?;
                let left = jobs[index].first()?.left.get(thread)?;
                (left.all > 0).then_some((index, thread))
            });
            let queued = queue.iter().find(|it| it.0 == core).map(|it| (it.1, it.2));
            let Some((index, thread)) = queued.or(ready) else { continue };
            let left = &mut jobs[index][0].left[thread];
            if left.all == left.requests && left.requests > left.leaves && queued.is_none() {
                queue.push((core, index, thread));
            }
            let place = queue.iter().position(|it| it.0 == core);
            if place.is_none_or(|place| place == 0) {
                left.all -= 1;
            }
        }
        // The next one holds the section from the next tick on.
        if let Some((_, index, thread)) = queue.first() {
            let left = jobs[*index][0].left[*thread];
            if left.all == left.leaves {
                queue.remove(0);
            }
        }
        for index in 0..models.len() {
            let Some(job) = jobs[index].first_mut() else { continue };
            if job.left.iter().all(|left| left.all == 0) {
                job.step += 1;
                if job.step < steps[index].len() {
                    job.left = work(index, job.step, random);
                } else {
                    longest[index] = longest[index].max(now + 1 - job.release);
                    jobs[index].remove(0);
                }
            }
        }
    }
    longest
}

#[test]
fn no_simulated_response_is_longer_than_its_bound() {
    let (mut bounded, mut forking, mut tightness) = (0_u32, 0_u32, 0.0);
    for seed in 0..SETS {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut priorities: Vec<u8> = (1..=5).collect();
        random.shuffle(&mut priorities);
        let models = priorities.iter().enumerate();
        let mut models: Vec<_> =
            models.map(|(index, it)| Model::random(&mut random, index, *it)).collect();
        let mut described = system(models.iter().map(Model::described).collect());
        for model in models.iter().filter(|model| model.cores.len() > 1) {
            let time = |it: Option<u64>| it.map(|it| it * TICK);
            let stages: Vec<_> = model.stages.iter().map(|it| (time(it.0), time(it.1))).collect();
            fork(&mut described, model.index, &model.cores[1..], &stages);
            for (stage, hold) in model.holds.iter().enumerate().filter(|(_, hold)| **hold > 0) {
                let team = described.openmp.as_ref().unwrap().teams.len() - 1;
                critical(&mut described, team, stage, hold * TICK, 1);
            }
        }
        let analysis = analyse(&described, &assign(&described).unwrap());
        models.sort_by_key(|model| model.priority);
        let mut longest = vec![0; models.len()];
        for _ in 0..RUNS {
            let run = simulate(&models, &mut random);
            longest = longest.iter().zip(run).map(|(a, b)| b.max(*a)).collect();
        }
        for (model, longest) in models.iter().zip(longest) {
            let row = &analysis.rows[model.index];
            if !row.meets() {
                continue;
            }
            let bound = row.bound().unwrap().0 / TICK;
            assert!(longest <= bound, "seed {seed}, {}: {longest} > {bound}", row.name);
            bounded += 1;
            if model.cores.len() > 1 {
                forking += 1;
                tightness += longest as f64 / bound as f64;
            }
        }
    }
    assert!(bounded > 2000 && forking > 500, "{bounded} bounds, {forking} of tasks that fork");
    println!(
        "{bounded} bounds, {forking} of tasks that fork: simulated / bound {:.3}",
        tightness / f64::from(forking)
    );
}
