// SPDX-License-Identifier: Apache-2.0
//! The I/O schedule: the search against an exact one, and the checker against planted mistakes.

mod exact;

use exact::exact;
use fastrand::Rng;
use takt_analysis::io::{
    Chain, Effort, Fault, Infeasible, Statement, Window, check, necessary, search,
};

fn window(resource: usize, period: u64, duration: u64) -> Window {
    Window { resource, period, duration, fixed: None, is_device: false }
}

fn device(resource: usize, period: u64, duration: u64) -> Window {
    Window { is_device: true, ..window(resource, period, duration) }
}

/// A core for I/O, two application cores and two devices; two or three chains.
fn small(random: &mut Rng) -> Statement {
    const IO_CORE: usize = 0;
    let mut statement = Statement { resources: 5, ..Statement::default() };
    for _ in 0..random.usize(2..=3) {
        let period = [12, 12, 24, 18, 36][random.usize(..5)];
        let first = statement.windows.len();
        let mut push = |window: Window, random: &mut Rng| {
            let is_given = random.u8(..12) == 0;
            let fixed = is_given.then(|| random.u64(..period));
            statement.windows.push(Window { fixed, ..window });
        };
        if random.u8(..4) > 0 {
            push(window(random.usize(3..5), period, random.u64(1..=4)), random);
            push(device(IO_CORE, period, random.u64(1..=3)), random);
        }
        push(window(random.usize(1..3), period, random.u64(1..=6)), random);
        if random.u8(..4) > 0 {
            push(device(IO_CORE, period, random.u64(1..=3)), random);
            push(window(random.usize(3..5), period, random.u64(1..=4)), random);
        }
        let windows: Vec<_> = (first..statement.windows.len()).collect();
        let needed: u64 = windows.iter().map(|it| statement.windows[*it].duration).sum();
        let limit = needed + random.u64(..=period);
        statement.chains.push(Chain { windows, limit });
    }
    statement
}

#[test]
fn the_search_finds_what_the_exact_one_finds() {
    let (mut found, mut missed, mut infeasible, mut refused) = (0, 0, 0, 0);
    for seed in 0..3000 {
        let statement = small(&mut Rng::with_seed(seed));
        let expected = exact(&statement);
        if let Some(offsets) = &expected {
            assert_eq!(check(&statement, offsets), Ok(()), "seed {seed}: {statement:?}");
        }
        if let Err(why) = necessary(&statement) {
            assert_eq!(expected, None, "seed {seed}: {why:?} is no reason");
            refused += 1;
            continue;
        }
        // Where there is nothing to find, a short search that finds nothing is enough.
        let restarts = if expected.is_some() { Effort::default().restarts } else { 20 };
        match search(&statement, seed, Effort { restarts, ..Effort::default() }) {
            Ok(offsets) => {
                assert_eq!(check(&statement, &offsets), Ok(()), "seed {seed}: {statement:?}");
                assert!(expected.is_some(), "seed {seed}: the exact search misses {offsets:?}");
                found += 1;
            }
            Err(_) if expected.is_none() => infeasible += 1,
            Err(_) => {
                println!("seed {seed} missed: {statement:?} {expected:?}");
                missed += 1;
            }
        }
    }
    println!("{found} found, {missed} missed, {infeasible} infeasible, {refused} refused before");
    assert!(found > 500 && infeasible > 50 && refused > 500);
    assert_eq!(missed, 0);
}

#[test]
fn offsets_are_multiples_of_what_divides_all_times() {
    for seed in 0..300 {
        let mut statement = small(&mut Rng::with_seed(seed));
        for it in &mut statement.windows {
            (it.period, it.duration) = (it.period * 1000, it.duration * 1000);
            it.fixed = it.fixed.map(|offset| offset * 1000);
        }
        statement.chains.iter_mut().for_each(|chain| chain.limit *= 1000);
        if necessary(&statement).is_err() {
            continue;
        }
        let Ok(offsets) = search(&statement, 1, Effort { restarts: 20, ..Effort::default() })
        else {
            continue;
        };
        assert_eq!(check(&statement, &offsets), Ok(()));
        assert!(offsets.iter().all(|offset| offset % 1000 == 0), "{offsets:?}");
    }
}

#[test]
fn a_seed_gives_one_answer() {
    let statement = (0..).map(|seed| small(&mut Rng::with_seed(seed)));
    let mut feasible = statement.filter(|it| necessary(it).is_ok() && exact(it).is_some());
    let statement = feasible.find(|it| it.windows.len() > 8).unwrap();
    let answers: Vec<_> = (0..20).map(|seed| search(&statement, seed, Effort::default())).collect();
    let again: Vec<_> = (0..20).map(|seed| search(&statement, seed, Effort::default())).collect();
    assert_eq!(again, answers);
    assert!(answers.iter().any(|answer| *answer != answers[0]), "the seed changes nothing");
}

/// Two transactions with a device each, an I/O core and an application core.
fn two() -> (Statement, Vec<u64>) {
    let windows = vec![
        window(2, 20, 3),
        device(0, 20, 2),
        window(1, 20, 5),
        device(0, 20, 2),
        window(3, 20, 4),
        window(2, 40, 2),
        device(0, 40, 1),
        window(1, 40, 6),
        device(0, 40, 1),
        window(3, 40, 2),
    ];
    let chains = vec![
        Chain { windows: vec![0, 1, 2, 3, 4], limit: 20 },
        Chain { windows: vec![5, 6, 7, 8, 9], limit: 40 },
    ];
    let offsets = vec![0, 3, 5, 10, 12, 4, 6, 14, 22, 36];
    (Statement { resources: 4, windows, chains }, offsets)
}

#[test]
fn the_checker_finds_planted_mistakes() {
    let (statement, good) = two();
    assert_eq!(check(&statement, &good), Ok(()));
    let with = |window: usize, offset: u64| {
        let mut offsets = good.clone();
        offsets[window] = offset;
        check(&statement, &offsets)
    };
    assert_eq!(with(8, 23), Err(Fault::Overlap { first: 8, second: 1, time: 23 }));
    assert_eq!(with(7, 23), Err(Fault::Order { first: 7, second: 8 }));
    assert_eq!(with(7, 9), Err(Fault::Overlap { first: 2, second: 7, time: 9 }));
    assert_eq!(with(3, 9), Err(Fault::Order { first: 2, second: 3 }));
    assert_eq!(with(4, 17), Err(Fault::Limit { chain: 0, time: 21 }));
    assert_eq!(with(5, 44), Err(Fault::Offset { window: 5 }));
    assert_eq!(check(&statement, &good[1..]), Err(Fault::Count));
    let mut late = statement.clone();
    late.chains[1].limit = 100;
    let offsets: Vec<_> = good[..8].iter().copied().chain([62, 76]).collect();
    assert_eq!(check(&late, &offsets), Err(Fault::Buffer { first: 7, second: 8 }));
    let mut given = statement.clone();
    given.windows[3].fixed = Some(10);
    assert_eq!(check(&given, &good), Ok(()));
    given.windows[3].fixed = Some(11);
    assert_eq!(check(&given, &good), Err(Fault::Offset { window: 3 }));
}

/// Two windows overlap exactly if Korst's condition does not hold.
#[test]
fn the_checker_agrees_with_the_condition_on_pairs() {
    let mut random = Rng::with_seed(5);
    for _ in 0..20_000 {
        let periods = [6, 8, 12, 18, 20];
        let windows: Vec<_> =
            (0..2).map(|_| window(0, periods[random.usize(..5)], random.u64(1..=4))).collect();
        let statement = Statement { resources: 1, windows, chains: Vec::new() };
        let [a, b] = &statement.windows[..] else { unreachable!() };
        let offsets = [random.u64(..a.period), random.u64(..b.period)];
        let divisor = (1..=a.period).rev().find(|it| a.period % it == 0 && b.period % it == 0);
        let divisor = divisor.unwrap() as i64;
        let distance = (offsets[1] as i64 - offsets[0] as i64).rem_euclid(divisor);
        let fits = distance >= a.duration as i64 && distance <= divisor - b.duration as i64;
        assert_eq!(check(&statement, &offsets).is_ok(), fits, "{statement:?} {offsets:?}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_reason() {
    let single = |windows: Vec<Window>| Statement { resources: 1, windows, chains: Vec::new() };
    let pair = single(vec![window(0, 20, 3), window(0, 30, 4), window(0, 50, 7)]);
    assert_eq!(necessary(&pair), Err(Infeasible::Pair { first: 1, second: 2, divisor: 10 }));
    let load = single(vec![window(0, 10, 4); 3]);
    assert_eq!(necessary(&load), Err(Infeasible::Load { resource: 0 }));
    assert_eq!(necessary(&single(vec![window(0, 10, 5); 2])), Ok(()));
    let long = single(vec![window(0, 10, 11)]);
    assert_eq!(necessary(&long), Err(Infeasible::TooLong { window: 0 }));
    let at = |fixed: u64| Window { fixed: Some(fixed), ..window(0, 20, 5) };
    assert_eq!(necessary(&single(vec![at(0), at(5)])), Ok(()));
    let given = Err(Infeasible::Fixed { first: 0, second: 1 });
    assert_eq!(necessary(&single(vec![at(0), at(16)])), given);
    let (mut limit, _) = two();
    limit.chains[0].limit = 15;
    assert_eq!(necessary(&limit), Err(Infeasible::Limit { chain: 0, needed: 16 }));
    let (mut buffer, _) = two();
    buffer.windows[4].duration = 19;
    assert_eq!(necessary(&buffer), Err(Infeasible::Buffer { first: 3, second: 4 }));
}

/// The window of 18 leaves each of the others two places, half of their period apart, and they are three.
#[test]
fn what_no_condition_refuses_ends_after_the_effort() {
    let windows = vec![window(0, 12, 3), window(0, 18, 3), window(0, 12, 3), window(0, 12, 3)];
    let statement = Statement { resources: 1, windows, chains: Vec::new() };
    assert_eq!(necessary(&statement), Ok(()));
    assert_eq!(exact(&statement), None);
    let effort = Effort { restarts: 7, ..Effort::default() };
    assert_eq!(search(&statement, 1, effort).unwrap_err().restarts, 7);
}
