// SPDX-License-Identifier: Apache-2.0
//! The table and the verdicts.

mod common;

use common::system::{system, task};
use common::*;
use takt_model::*;
use takt_trace::{Expected, Record, Report, Timing, Verdict, duration, render};

/// The report of one task with a bound of 250 us and these figures.
fn report_of(figures: [u64; 12], timing: Timing) -> Report {
    let mut bytes = record(1, 1);
    put_task(&mut bytes, 0, figures);
    let expected = [Expected { core: 0, priority: 3, bound: Some(Nanos(250_000)) }];
    let record = Record::decode(&bytes).unwrap();
    Report::new(&system(vec![task("hold")]), &expected, &record, timing).unwrap()
}

const GOOD: [u64; 12] = [100, 0, 0, 0, 0, 0, 90_000, 250_000, 12_000_000, 95_000, 9_000_000, 512];

/// The good figures with one of them changed.
fn with(field: usize, value: u64) -> [u64; 12] {
    let mut figures = GOOD;
    figures[field] = value;
    figures
}

#[test]
fn a_timed_run_is_judged() {
    let verdict = |figures| report_of(figures, Timing::Timed).tasks[0].verdict;
    assert_eq!(verdict(GOOD), Verdict::Held);
    assert_eq!(verdict(with(7, 250_001)), Verdict::BoundBroken);
    assert_eq!(verdict(with(1, 1)), Verdict::Missed);
    assert_eq!(verdict(with(9, 100_001)), Verdict::AssumptionBroken);
    assert_eq!(verdict(with(5, 1)), Verdict::AssumptionBroken);
    assert_eq!(verdict(with(0, 1)), Verdict::NotEnoughJobs);
    assert_eq!(verdict(with(0, 0)), Verdict::NotEnoughJobs);
}

#[test]
fn an_untimed_run_never_is() {
    for figures in [GOOD, with(7, 1 << 40), with(1, 1), with(9, 1 << 40), with(5, 1), with(0, 0)] {
        let report = report_of(figures, Timing::NotTimed);
        assert_eq!(report.tasks[0].verdict, Verdict::NotTimed);
        assert!(!report.timed);
    }
}

#[test]
fn a_record_of_another_description_is_refused() {
    let record = Record::decode(&record(2, 1)).unwrap();
    let error = Report::new(&system(vec![task("hold")]), &[], &record, Timing::NotTimed);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("2 tasks, the description has 1"), "{error}");
}

#[test]
fn the_table_shows_bound_beside_measured_and_tells_what_is_wrong() {
    let mut bytes = record(3, 1);
    put_task(&mut bytes, 0, GOOD);
    put_task(&mut bytes, 1, [1, 1, 2, 3, 1, 4, 30_000, 30_000, 30_000, 132_500, 132_500, 900]);
    put64(&mut bytes, TASKS + 3 * TASK + 16, 12);
    put64(&mut bytes, TASKS + 3 * TASK + 24, 1);
    let bound = |bound| Expected { core: 0, priority: 3, bound };
    let expected = [bound(Some(Nanos(250_000))), bound(Some(Nanos(104_500))), bound(None)];
    let system = system(vec![task("altitude_hold"), task("engine"), task("idler")]);
    let record = Record::decode(&bytes).unwrap();
    let report = Report::new(&system, &expected, &record, Timing::NotTimed).unwrap();
    insta::assert_snapshot!(render(&report));
    insta::assert_snapshot!(serde_json::to_string_pretty(&report.tasks[1]).unwrap());
}

#[test]
fn durations_are_short_and_carry_their_unit() {
    let cases = [
        (0, "0ns"),
        (999, "999ns"),
        (1_000, "1us"),
        (104_500, "104.5us"),
        (20_000_000, "20ms"),
        (1_234_567, "1.234ms"),
        (120_000_000_000, "120s"),
        (u64::MAX, "18446744073.709s"),
    ];
    for (nanos, text) in cases {
        assert_eq!(duration(nanos), text);
    }
}
