// SPDX-License-Identifier: Apache-2.0
//! Tests `takt interference` with the example, three applications in partitions: what hogs on seven cores do to a task,
//! and what is left of it with budgets.

mod common;

use std::path::Path;

use common::document::document;
use common::takt::{ended, takt};

const EXAMPLE: &str = "examples/ima/system.toml";

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn budgets_keep_hogs_from_a_task() {
    let arguments =
        ["interference", EXAMPLE, "--task", "steer", "--for", "20ms", "--format", "json"];
    let found = document(&ended(takt(&arguments, root())));
    println!("{found:#}");
    let runs = found["runs"].as_array().expect("runs");
    let against = |index: usize| runs[index]["against_alone"].as_f64().expect("a ratio");
    assert_eq!(runs.len(), 4);
    assert!(runs.iter().all(|run| run["jobs"] == 5));
    assert!(against(1) <= 1.10, "alone, with budgets");
    assert!(against(2) >= 4.0, "beside hogs");
    assert!(against(3) <= 1.10, "beside hogs, with budgets");
    let cores = runs[3]["cores"].as_array().expect("cores");
    assert_eq!(cores.len(), 8);
    for core in cores {
        let figure = |key: &str| core[key].as_u64().expect("a figure");
        let hog = core["core"] != 1;
        assert_eq!(figure("exhausted") > 0, hog, "{core}");
        // A budget, what was left of the one before, and what is under way when it ends.
        assert!(figure("reads_max") <= if hog { 30 + 20 } else { 800 }, "{core}");
        assert!(figure("overdrawn_reads_max") <= 20, "{core}");
    }
    // What the memory controllers themselves count for a hog is at most what its budgets say: for each line read one may
    // have to leave the shared cache. Without the hogs there are the boot's lines and the idle loop's.
    let lines = |run: usize, core: usize| {
        let core = &runs[run]["cores"][core];
        let figure = |key: &str| core[key].as_u64().expect("a figure");
        figure("memory_reads") + figure("memory_writes")
    };
    for core in [0, 2, 3, 4, 5, 6, 7] {
        let periods = runs[3]["cores"][core]["periods"].as_u64().expect("a figure");
        let hog = lines(3, core) - lines(1, core);
        println!("core {core}: {hog} lines in {periods} periods");
        assert!(hog <= periods * (2 * 30 + 8) + 100, "{hog} lines of core {core}");
        assert!(hog >= periods * 5, "{hog} lines of core {core}");
    }
}

#[test]
fn a_run_shows_the_regulated_cores() {
    let arguments = ["run", EXAMPLE, "--for", "9ms", "--format", "json"];
    let found = document(&ended(takt(&arguments, root())));
    let cores = found["regulation"].as_array().expect("rows");
    assert_eq!(cores.len(), 8);
    for core in cores {
        let figure = |key: &str| core[key].as_u64().expect("a figure");
        let hog = core["core"] != 1;
        assert_eq!(figure("reads_budget"), if hog { 30 } else { 800 });
        assert_eq!(figure("writes_budget"), if hog { 8 } else { 260 });
        assert_eq!(figure("throttled_periods") > 0, hog, "{core}");
        assert_eq!(figure("throttled_ns") > 0, hog, "{core}");
        assert!((40..=46).contains(&figure("periods")), "{core}");
        assert!(figure("reads_max") > 0, "{core}");
    }
    let text = ended(takt(&["run", EXAMPLE, "--for", "9ms", "--seed", "1..2"], root())).stdout;
    assert!(text.contains("of the regulated cores"), "{text}");
    // A system without budgets shows nothing of the kind.
    let without = ["run", "examples/rosace/system.toml", "--for", "20ms", "--format", "json"];
    assert!(document(&ended(takt(&without, root()))).get("regulation").is_none());
}

#[test]
fn what_cannot_be_measured_is_said() {
    let refused = |arguments: &[&str], message: &str| {
        let end = ended(takt(arguments, root()));
        assert_eq!(end.code, 2, "{}", end.stderr);
        assert!(end.stderr.contains(message), "{}", end.stderr);
    };
    refused(&["interference", EXAMPLE, "--task", "stear"], "the system has no task `stear`");
    let without = "examples/rosace/system.toml";
    refused(&["interference", without, "--task", "engine"], "has no budgets of memory traffic");
}

/// 7 * (2 * 30 + 8) and 2 * 800 + 260 lines, each 125 cycles of 1.5 GHz; 26 refreshes of 240 cycles in 200 us.
#[test]
fn a_check_says_whether_the_memory_can_serve_all_budgets() {
    let check = |change: &dyn Fn(String) -> String| {
        let directory = tempfile::tempdir().expect("a directory");
        let example = root().join("examples/ima");
        let text = std::fs::read_to_string(example.join("system.toml")).expect("the example");
        for name in ["control.c", "display.c", "hog.c", "attitude.h"] {
            std::fs::copy(example.join(name), directory.path().join(name)).expect("a source");
        }
        let changed = change(text.clone());
        std::fs::write(directory.path().join("system.toml"), changed).expect("a description");
        document(&ended(takt(&["check", "system.toml", "--format", "json"], directory.path())))
            ["memory_traffic"]
            .clone()
    };
    let as_it_is = check(&|text| text);
    let of = |found: &serde_json::Value, key: &str| found[key].as_u64().expect("a figure");
    assert_eq!(as_it_is["fits"], true);
    assert_eq!(
        ["lines", "needed_ns", "available_ns"].map(|key| of(&as_it_is, key)),
        [2336, 194_667, 195_840]
    );
    let more = check(&|text| text.replace("reads = 800", "reads = 808"));
    assert_eq!((&more["fits"], of(&more, "needed_ns")), (&false.into(), 196_000));
    let free = check(&|text| text.replace("cores = [0, 2, 3,", "cores = [0, 3,"));
    assert_eq!((&free["fits"], &free["without_budget"]), (&false.into(), &serde_json::json!([2])));
    let without = ["check", "examples/rosace/system.toml", "--format", "json"];
    assert!(document(&ended(takt(&without, root()))).get("memory_traffic").is_none());
}

/// WCET(m): the bound of a task with a budget, against runs beside cores that store as fast as they can.
#[test]
fn no_run_beside_hogs_is_longer_than_the_bound() {
    let check = document(&ended(takt(&["check", EXAMPLE, "--format", "json"], root())));
    let steer = &check["tasks"][0];
    let figure = |found: &serde_json::Value, key: &str| found[key].as_u64().expect("a figure");
    let (bound, wcet) = (figure(steer, "bound_ns"), figure(&steer["breakdown"], "wcet_beside_ns"));
    assert!(figure(steer, "wcet_ns") < wcet && wcet < bound && bound < 2_000_000, "{steer:#}");
    let why = &check["tasks"][1]["explanation"];
    assert!(why.as_str().expect("text").contains("how many lines a job of draw moves"), "{why}");
    let runs = ["interference", EXAMPLE, "--task", "steer", "--for", "9ms", "--seed", "1..4"];
    let runs = document(&ended(takt(&[&runs[..], &["--format", "json"]].concat(), root())));
    let beside = &runs["runs"][3];
    let longest = figure(beside, "response_max_ns");
    println!("{longest} ns of {bound} ns, WCET(8) {wcet} ns");
    assert!(longest <= bound && figure(beside, "execution_max_ns") <= wcet, "{beside:#}");
    // What is declared holds: the lines of a job, and of the kernel in a period.
    let core = &beside["cores"][1];
    assert!(figure(core, "reads_max") <= 730 + 40 && figure(core, "writes_max") <= 180 + 20);
    assert_eq!(figure(core, "exhausted"), 0);
}
