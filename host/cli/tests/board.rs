// SPDX-License-Identifier: Apache-2.0
//! Tests `takt board` from the outside.

mod common;

use std::path::Path;

use common::takt::{Ended, ended, takt};
use serde_json::Value;

const BOARDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../boards");

fn here(arguments: &[&str], directory: &Path) -> Ended {
    ended(takt(arguments, directory))
}

fn good(arguments: &[&str]) -> String {
    let ended = here(arguments, Path::new(BOARDS));
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    ended.stdout
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&good(arguments)).unwrap()
}

#[test]
fn the_list_has_every_board_with_cores_clock_and_shape() {
    let list = good(&["board", "list"]);
    let files = Path::new(BOARDS).read_dir().unwrap().count();
    assert_eq!(list.lines().count(), files + 2, "{list}");
    let line = list.lines().find(|line| line.starts_with("tile72 ")).unwrap();
    for word in ["  72 ", " 1GHz ", " mesh of 8 x 9 ", "After Tilera's TILE-Gx72"] {
        assert!(line.contains(word), "{word:?} is not in {line}");
    }
    let list = json(&["board", "list", "--format", "json"]);
    assert_eq!(list["boards"].as_array().unwrap().len(), files);
    let xeon =
        list["boards"].as_array().unwrap().iter().find(|board| board["name"] == "xeon40").unwrap();
    assert_eq!((&xeon["cores"], &xeon["frequency_hz"]), (&40.into(), &2_000_000_000_u64.into()));
    assert!(Path::new(xeon["file"].as_str().unwrap()).is_absolute());
}

#[test]
fn a_board_is_shown_with_its_file_and_what_loads_take() {
    let shown = good(&["board", "show", "xeon40"]);
    let file = Path::new(BOARDS).join("xeon40.toml").canonicalize().unwrap();
    for text in [
        &format!("file          {}\n", file.display()),
        "cores         40, harts 0 to 39\n",
        "clock         2GHz; time counts at 10MHz\n",
        "L2            256KiB, 8 ways\n",
        "interconnect  links between all 4; 10 cores a node; 6 bytes a cycle on a link\n",
    ] {
        assert!(shown.contains(text), "{text:?} is not in\n{shown}");
    }
    let (_, table) = shown.split_once("a load on an idle machine").unwrap();
    let row = |place: &str| {
        let line = table.lines().find(|line| line.starts_with(place)).unwrap();
        line[place.len()..].split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("L1 "), "4 2ns 0");
    assert_eq!(row("L2 "), "10 5ns 0");
    assert_eq!(row("shared cache, nearest"), "44 22ns 0");
    assert_eq!(row("DRAM, bank closed, nearest"), "333 167ns 0");
    assert_eq!(row("DRAM, bank closed, farthest"), "469 235ns 2");
}

#[test]
fn a_program_can_read_it() {
    let shown = json(&["board", "show", "sg2042", "--format", "json"]);
    assert_eq!(shown["hart_ids"].as_array().unwrap().len(), 64);
    assert_eq!(shown["overheads"]["source"], "assumed");
    assert_eq!(shown["timing"]["cores_per_node"], 4);
    let dram = &shown["timing"]["loads"][6];
    assert_eq!(
        (&dram["place"], &dram["cycles"]),
        (&"DRAM, bank closed, nearest".into(), &245.into())
    );
}

#[test]
fn a_file_of_ones_own_is_shown_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(Path::new(BOARDS).join("virt.toml")).unwrap();
    let text = text.replace("cores      = 4", "cores      = 2\nhart_ids = [0, 5]");
    std::fs::write(folder.path().join("mine.toml"), &text).unwrap();
    let shown = here(&["board", "show", "mine.toml"], folder.path());
    assert!(shown.stdout.contains("cores         2, harts 0, 5\n"), "{}", shown.stdout);

    let clock = text.find("frequency").unwrap();
    let overheads = text.find("[core]").unwrap();
    let untimed = text[..clock].to_string() + &text[text.find("[[memory]]").unwrap()..overheads];
    std::fs::write(folder.path().join("mine.toml"), untimed).unwrap();
    let shown = here(&["board", "show", "mine.toml"], folder.path());
    assert!(shown.stdout.contains("timing        none: QEMU alone"), "{}", shown.stdout);
    let json = here(&["board", "show", "mine.toml", "--format", "json"], folder.path());
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json["hart_ids"][1].as_u64(), json["timing"].is_null()), (Some(5), true));
}

#[test]
fn what_is_no_board_is_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let show = |board: &str| here(&["board", "show", board], folder.path());
    show("tile27").fails_with(2, "there is no board `tile27`");
    show("tile27").fails_with(2, "the boards are biglittle8, iota9, p4080, sara,");
    show("nowhere.toml").fails_with(2, "cannot read nowhere.toml");
    show("/dev/zero").fails_with(2, "there is no board `/dev/zero`");
    std::fs::write(folder.path().join("bad.toml"), "format = 1\n[board]\ncores = 0\n").unwrap();
    show("bad.toml").fails_with(2, "`name` is missing");
    here(&["board"], folder.path()).fails_with(2, "Usage: takt board <COMMAND>");
}

/// The page shows what each kind has of its own, and what its loads take.
#[test]
fn kinds_of_cores_are_shown() {
    let shown = good(&["board", "show", "biglittle8"]);
    let (big, little) = shown.split_once("kind          little\n").unwrap();
    for (text, lines) in [
        (big, ["L1 D          64KiB, 4 ways\n", "prefetcher    4 lines ahead\n"]),
        (little, ["L1 D          32KiB, 4 ways\n", "prefetcher    1 line ahead\n"]),
    ] {
        assert!(lines.iter().all(|line| text.contains(line)), "{lines:?} are not in\n{text}");
    }
    assert!(little.starts_with("cores         4, 5, 6, 7\n"), "{little}");
    let timing = &json(&["board", "show", "biglittle8", "--format", "json"])["timing"];
    let kind = &timing["kinds"][0];
    assert_eq!((&kind["name"], &kind["cores"][3]), (&"little".into(), &7.into()));
    assert_eq!(
        (&timing["loads"][1]["cycles"], &kind["loads"][1]["cycles"]),
        (&10.into(), &7.into())
    );
    assert_eq!(kind["l2"]["bytes"], 128 << 10);
}

/// A core that belongs to two kinds is a mistake: the message shows its place, and the exit status
/// is 2.
#[test]
fn kinds_that_contradict_each_other_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(Path::new(BOARDS).join("virt.toml")).unwrap();
    let more = "[[kind]]\nname = 'a'\ncores = [0, 1]\n[[kind]]\nname = 'b'\ncores = [1]\n";
    std::fs::write(folder.path().join("mine.toml"), text + more).unwrap();
    here(&["board", "show", "mine.toml"], folder.path()).fails_with(2, "core 1 is of two kinds");
}

#[test]
fn scratchpads_and_registers_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(Path::new(BOARDS).join("virt.toml")).unwrap();
    let more = "
[[scratchpad]]
name = 'own'
base = '0x70000000'
size = '64KiB'
latency = 2
cores = [0, 2]
window = '0x71000000'
[[register]]
name = 'locks'
base = '0x60000000'
count = 4
kind = 'test_and_set'
";
    std::fs::write(folder.path().join("mine.toml"), text + more).unwrap();
    let shown = here(&["board", "show", "mine.toml"], folder.path()).stdout;
    for line in [
        "scratchpad    own 64KiB at 0x70000000 in 2 cores, 2 cycles; for all at 0x71000000 + core x 64KiB\n",
        "register      locks 4 words at 0x60000000, test_and_set\n",
    ] {
        assert!(shown.contains(line), "{line:?} is not in\n{shown}");
    }
    let json = here(&["board", "show", "mine.toml", "--format", "json"], folder.path());
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["scratchpads"][0]["window"]["stride_bytes"], 65536);
    assert_eq!(json["registers"][0]["words"], 4);
}
