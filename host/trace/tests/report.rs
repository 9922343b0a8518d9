// SPDX-License-Identifier: Apache-2.0
//! Tests the table and the verdicts.

mod common;

use common::system::{system, task};
use common::*;
use takt_model::*;
use takt_record::Record;
use takt_trace::{Expected, Report, Sweep, Timing, Verdict, duration, render, render_sweep};

/// The report of one task with a bound of 250 us and these figures.
fn report_of(figures: [u64; 16], timing: Timing) -> Report {
    let mut bytes = record(1, 1);
    put_task(&mut bytes, 0, figures);
    let expected = [Expected { core: 0, priority: 3, bound: Some(Nanos(250_000)) }];
    let record = Record::decode(&bytes).unwrap();
    Report::new(&system(vec![task("hold")]), &expected, &record, timing, &|_| None).unwrap()
}

const GOOD: [u64; 16] =
    [100, 0, 0, 0, 0, 0, 90_000, 250_000, 12_000_000, 95_000, 9_000_000, 0, 0, 512, 0, 95_000];

/// The good figures with one of them changed.
fn with(field: usize, value: u64) -> [u64; 16] {
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
    assert_eq!(verdict(with(15, 100_001)), Verdict::AssumptionBroken);
    assert_eq!(verdict(with(5, 1)), Verdict::AssumptionBroken);
    assert_eq!(verdict(with(12, 1)), Verdict::Stopped);
    assert_eq!(verdict(with(11, 1)), Verdict::Held, "a note reports it");
    assert_eq!(verdict(with(0, 1)), Verdict::NotEnoughJobs);
    assert_eq!(verdict(with(0, 0)), Verdict::NotEnoughJobs);
}

/// A measured execution that interrupts may have lengthened is not blamed. A job that has overrun
/// its budget has surely executed that long.
#[test]
fn who_surely_ran_too_long_is_blamed_and_nobody_else() {
    let report = |figures, budget: Option<u64>| {
        let mut bytes = record(1, 1);
        put_task(&mut bytes, 0, figures);
        let mut hold = task("hold");
        let stops = |time| Budget { time: Nanos(time), stops: true, handler: None };
        hold.budget = budget.map(stops);
        let expected = [Expected { core: 0, priority: 3, bound: Some(Nanos(250_000)) }];
        let record = Record::decode(&bytes).unwrap();
        Report::new(&system(vec![hold]), &expected, &record, Timing::Timed, &|_| None).unwrap()
    };
    let verdict = |figures, budget| report(figures, budget).tasks[0].verdict;
    let mut interrupted = with(9, 180_000);
    interrupted[15] = 100_000;
    assert_eq!(verdict(interrupted, None), Verdict::Held);
    interrupted[15] = 100_001;
    assert_eq!(verdict(interrupted, None), Verdict::AssumptionBroken);

    // A stopped job is to blame if its budget exceeds the WCET that the analysis relied on.
    let mut stopped = with(9, 103_000);
    (stopped[11], stopped[12]) = (1, 1);
    assert_eq!(verdict(stopped, Some(100_000)), Verdict::AssumptionBroken);
    assert_eq!(verdict(stopped, Some(99_999)), Verdict::Stopped);

    // A task that may have run too long is named if something was late.
    let mut late = with(9, 105_000);
    let doubt = "task hold may have run longer than its wcet of 100us: 105us were measured, of which \
                 95us are surely its own";
    assert_eq!(report(late, None).notes, [""; 0]);
    late[7] = 250_001;
    assert_eq!(report(late, None).notes, [doubt]);
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
fn a_miss_or_a_response_above_its_bound_breaks_whatever_the_reason() {
    let holds = |figures| report_of(figures, Timing::Timed).holds;
    assert_eq!(holds(GOOD), Some(true));
    assert_eq!(holds(with(7, 250_001)), Some(false));
    assert_eq!(holds(with(1, 1)), Some(false));
    assert_eq!(holds(with(15, 100_001)), Some(false), "execution above C breaks an assumption");
    let mut both = with(15, 100_001);
    both[7] = 250_001;
    assert_eq!(holds(both), Some(false));
    assert_eq!(report_of(with(1, 1), Timing::NotTimed).holds, None);
}

#[test]
fn a_panic_does_not_hold_and_where_nothing_was_judged_nothing_holds() {
    let mut bytes = record(1, 1);
    put_task(&mut bytes, 0, GOOD);
    put32(&mut bytes, 36, 2); // the outcome: panic
    let bound = Some(Nanos(250_000));
    let judge = |bytes: &[u8], bound, timing| {
        let expected = [Expected { core: 0, priority: 3, bound }];
        let record = Record::decode(bytes).unwrap();
        let report =
            Report::new(&system(vec![task("hold")]), &expected, &record, timing, &|_| None)
                .unwrap();
        (report.holds, report.code, report.exit_status)
    };
    for timing in [Timing::Timed, Timing::NotTimed] {
        assert_eq!(judge(&bytes, bound, timing), (Some(false), None, 1));
    }
    put32(&mut bytes, 36, 1);
    assert_eq!(judge(&bytes, bound, Timing::Timed), (Some(true), Some(0), 0));
    // The deadline is judged as well.
    assert_eq!(judge(&bytes, None, Timing::Timed), (Some(true), Some(0), 0));
    put_task(&mut bytes, 0, with(0, 1));
    assert_eq!(judge(&bytes, bound, Timing::Timed), (None, Some(0), 1));
    assert_eq!(judge(&bytes, bound, Timing::NotTimed), (None, Some(0), 0));
    put_task(&mut bytes, 0, with(1, 1));
    assert_eq!(judge(&bytes, bound, Timing::Timed), (Some(false), Some(0), 1));
}

#[test]
fn the_last_line_of_a_timed_run_says_what_holds() {
    let last = |figures| {
        let text = render(&report_of(figures, Timing::Timed));
        text.lines().last().unwrap_or_default().to_string()
    };
    assert_eq!(last(GOOD), "pair: every response is within its bound (1 tasks)");
    assert_eq!(last(with(1, 1)), "pair: no: a deadline was missed or a bound broken by hold");
    let blamed = "pair: no: an assumption was broken by task hold";
    assert_eq!(last(with(15, 100_001)), blamed);
    let few = "pair: no: nothing was judged, as no task with a bound or a deadline has completed enough jobs";
    assert_eq!(last(with(0, 1)), few);
    assert!(!render(&report_of(GOOD, Timing::NotTimed)).contains("within its bound"));
}

#[test]
fn a_sweep_keeps_the_longest_and_the_first_seed_that_had_it() {
    let run = |seed, figures| (seed, report_of(figures, Timing::Timed));
    let runs = [
        run(4, with(7, 200_000)),
        run(5, with(7, 240_000)),
        run(6, with(7, 240_000)),
        run(7, with(6, 80_000)),
        run(8, with(15, 100_001)),
    ];
    let sweep = Sweep::new(&runs[..3]).unwrap();
    let row = &sweep.tasks[0];
    assert_eq!((row.longest_in_seed, row.all.jobs, row.broken_runs), (5, 300, 0));
    let response = row.all.response.unwrap();
    assert_eq!((response.min, response.mean, response.max), (90_000, 120_000, 240_000));
    assert_eq!((sweep.seeds, sweep.holds, sweep.worst_seed()), (3, Some(true), None));
    let sweep = Sweep::new(&runs).unwrap();
    assert_eq!(sweep.tasks[0].all.response.unwrap().min, 80_000);
    assert_eq!(sweep.tasks[0].all.execution_surely, 100_001);
    assert_eq!(sweep.tasks[0].all.verdict, Verdict::AssumptionBroken);
    assert_eq!(sweep.notes.len(), 1, "{:?}", sweep.notes);
    assert!(sweep.notes.iter().any(|note| note.ends_with("(seed 8)")), "{:?}", sweep.notes);
}

#[test]
fn overruns_are_told_and_added_up() {
    let run = |seed, overruns, stopped| {
        let mut figures = with(11, overruns);
        figures[12] = stopped;
        (seed, report_of(figures, Timing::Timed))
    };
    let runs = [run(1, 2, 0), run(2, 3, 1), run(3, 5, 4)];
    let notes: Vec<_> = runs.iter().map(|(_, report)| report.notes.join("; ")).collect();
    let note = "task hold: 2 jobs ran longer than the budget";
    assert_eq!(notes[0], note);
    assert_eq!(notes[1], format!("{}, one was stopped for it", note.replace('2', "3")));
    assert_eq!(notes[2], format!("{}, 4 were stopped for it", note.replace('2', "5")));
    let sweep = Sweep::new(&runs).unwrap();
    assert_eq!((sweep.tasks[0].all.overruns, sweep.tasks[0].all.stopped), (10, 5));
    assert_eq!(sweep.tasks[0].all.verdict, Verdict::Stopped);
}

#[test]
fn a_sweep_counts_what_is_broken_and_what_failed() {
    let run = |seed, figures| (seed, report_of(figures, Timing::Timed));
    let mut failed = run(3, GOOD);
    failed.1.code = Some(9);
    let runs = [run(1, GOOD), run(2, with(1, 1)), failed, run(4, with(7, 300_000))];
    let sweep = Sweep::new(&runs).unwrap();
    assert_eq!((sweep.broken.as_slice(), sweep.failed[0].seed), (&[2, 4][..], 3));
    assert_eq!((sweep.holds, sweep.worst_seed()), (Some(false), Some(2)));
    assert_eq!(sweep.tasks[0].broken_runs, 2);
    assert_eq!(sweep.tasks[0].all.verdict, Verdict::Missed);
    let text = render_sweep(&sweep);
    assert!(text.contains("seed 3 ended with shutdown: code 9"), "{text}");
    assert!(text.contains("2 broke, 1 failed"), "{text}");
    assert!(Sweep::new(&[]).is_none());
}

#[test]
fn a_record_of_another_description_is_refused() {
    let record = Record::decode(&record(2, 1)).unwrap();
    let error = Report::new(&system(vec![task("hold")]), &[], &record, Timing::NotTimed, &|_| None);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("2 tasks, the description has 1"), "{error}");
}

#[test]
fn the_table_shows_bound_beside_measured_and_tells_what_is_wrong() {
    let mut bytes = record(3, 1);
    put_task(&mut bytes, 0, GOOD);
    put_task(
        &mut bytes,
        1,
        [1, 1, 2, 3, 1, 4, 30_000, 30_000, 30_000, 132_500, 132_500, 3, 1, 900, 0, 132_500],
    );
    put64(&mut bytes, TASKS + 3 * TASK + 16, 12);
    put64(&mut bytes, TASKS + 3 * TASK + 24, 1);
    let bound = |bound| Expected { core: 0, priority: 3, bound };
    let expected = [bound(Some(Nanos(250_000))), bound(Some(Nanos(104_500))), bound(None)];
    let system = system(vec![task("altitude_hold"), task("engine"), task("idler")]);
    let record = Record::decode(&bytes).unwrap();
    let report = Report::new(&system, &expected, &record, Timing::NotTimed, &|_| None).unwrap();
    insta::assert_snapshot!(render(&report));
    insta::assert_snapshot!(serde_json::to_string_pretty(&report.tasks[1]).unwrap());
}

/// Writes `count` refused calls of `service` by `task` into an entry of core 0.
fn put_refusal(bytes: &mut [u8], entry: usize, count: u64, task: u32, error: u32, service: &str) {
    let place = TASKS + TASK + 56 + entry * REFUSAL;
    put64(bytes, place, count);
    put32(bytes, place + 8, task);
    put32(bytes, place + 12, error);
    bytes[place + 24..][..service.len()].copy_from_slice(service.as_bytes());
}

fn report_from(bytes: &[u8], bound: Option<Nanos>, timing: Timing) -> Report {
    let expected = [Expected { core: 0, priority: 3, bound }];
    let record = Record::decode(bytes).unwrap();
    Report::new(&system(vec![task("logger")]), &expected, &record, timing, &|_| None).unwrap()
}

#[test]
fn an_undeclared_call_is_no_good_run_and_any_refused_call_is_reported() {
    const BOUND: Option<Nanos> = Some(Nanos(250_000));
    const HELD: &str = "every response is within its bound (1 tasks)";
    let mut bytes = record(1, 1);
    put_task(&mut bytes, 0, GOOD);
    let last_line = |report: &Report| render(report).lines().last().unwrap().to_string();
    let good = report_from(&bytes, BOUND, Timing::Timed);
    assert!(last_line(&good).ends_with(HELD));

    // These are mistakes that the application sees itself; the bounds hold for its run.
    put_refusal(&mut bytes, 0, 1, 0, 25, "takt_semaphore_wait_for");
    let mistaken = report_from(&bytes, BOUND, Timing::Timed);
    assert_eq!((mistaken.holds, mistaken.exit_status), (Some(true), 0));
    let note = "a handler or hook of core 0: takt_semaphore_wait_for refused once: TAKT_E_CTX (";
    assert!(mistaken.notes[0].starts_with(note), "{:?}", mistaken.notes);
    let end = format!("{HELD}; but calls were refused to a handler or hook of core 0");
    assert!(last_line(&mistaken).ends_with(&end), "{}", last_line(&mistaken));

    // Calls that found no free entry may be undeclared ones.
    put64(&mut bytes, TASKS + TASK + 48, 3);
    let unlisted = report_from(&bytes, BOUND, Timing::Timed);
    assert_eq!((unlisted.holds, unlisted.exit_status), (Some(false), 1));
    let end = "no: 3 refused calls are not listed, and undeclared ones may be among them";
    assert!(last_line(&unlisted).ends_with(end), "{}", last_line(&unlisted));

    // A call without the declared right makes the application another one than the analysed one.
    put_refusal(&mut bytes, 1, 12, 1, 28, "takt_mutex_lock_for");
    let undeclared = report_from(&bytes, BOUND, Timing::Timed);
    assert_eq!((undeclared.holds, undeclared.exit_status), (Some(false), 1));
    let note =
        "task logger: takt_mutex_lock_for refused 12 times: TAKT_E_ILUSE (declare it in `uses`;";
    assert!(undeclared.notes[1].starts_with(note), "{:?}", undeclared.notes);
    assert!(undeclared.notes[2].starts_with("3 more calls refused"), "{:?}", undeclared.notes);
    let end = "no: calls that the description does not allow were refused to task logger";
    assert!(last_line(&undeclared).ends_with(end), "{}", last_line(&undeclared));
    let json = serde_json::to_value(&undeclared).unwrap();
    let call = serde_json::json!({"task": "logger", "core": 0, "service": "takt_mutex_lock_for",
        "error": "TAKT_E_ILUSE", "count": 12});
    assert_eq!(json["refused_calls"][1], call);
    assert_eq!(json["refused_calls"][0]["task"], serde_json::Value::Null);
    assert_eq!(json["refused_calls_dropped"], 3);

    // The numbers of several runs add up, and the run with the undeclared call is not good.
    let sweep = Sweep::new(&[(1, good), (2, mistaken), (3, undeclared.clone())]).unwrap();
    assert_eq!((sweep.exit_status, sweep.broken.as_slice()), (1, [3].as_slice()));
    let counts: Vec<_> = sweep.refused_calls.iter().map(|it| it.count).collect();
    assert_eq!((counts, sweep.refused_calls_dropped), (vec![2, 12], 3));
    assert!(render_sweep(&sweep).trim_end().ends_with(end));

    // Without a bound or a deadline the call cannot invalidate anything.
    let mut no_deadline = task("logger");
    no_deadline.deadline = None;
    let expected = [Expected { core: 0, priority: 3, bound: None }];
    let record = Record::decode(&bytes).unwrap();
    let nothing =
        Report::new(&system(vec![no_deadline]), &expected, &record, Timing::Timed, &|_| None);
    assert_eq!(nothing.unwrap().exit_status, 0);
    assert_eq!(report_from(&bytes, BOUND, Timing::NotTimed).exit_status, 0);
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
