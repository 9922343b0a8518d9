// SPDX-License-Identifier: Apache-2.0
//! The device tree beside the one that QEMU gives.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use takt_board::boot::Tree;
use takt_board::devices::map;

use crate::common::RAM;
use crate::fdt_reader::{Nodes, cells, nodes};
use crate::load::linked;

pub fn tree(harts: u64) -> Tree {
    Tree {
        compatible: "riscv-virtio".into(),
        model: "riscv-virtio,qemu".into(),
        hart_ids: (0..harts).collect(),
        timebase: 10_000_000,
        memory: vec![RAM],
        arguments: String::new(),
        initrd: None,
        counters: 0x7fff8,
        rtu: None,
    }
}

fn qemu(directory: &Path) -> Nodes {
    let file = directory.join("virt.dtb");
    let dump = format!("virt,aclint=on,dumpdtb={}", file.display());
    let status = Command::new("qemu-system-riscv64")
        .args(["-M", &dump, "-smp", "4", "-m", "128M", "-display", "none"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("qemu-system-riscv64 runs").success());
    nodes(&fs::read(file).unwrap())
}

/// Nodes by their handles.
fn handles(nodes: &Nodes) -> BTreeMap<u32, &str> {
    let handle = |(path, properties): (&'_ String, &BTreeMap<String, Vec<u8>>)| {
        properties.get("phandle").map(|value| (cells(value)[0], path.clone()))
    };
    let found: Vec<_> = nodes.iter().filter_map(handle).collect();
    let paths =
        found.iter().map(|(handle, path)| (*handle, nodes.get_key_value(path).unwrap().0.as_str()));
    paths.collect()
}

/// A property with its handles replaced by the nodes' paths.
fn meaning(nodes: &Nodes, name: &str, value: &[u8]) -> String {
    let handles = handles(nodes);
    let path = |cell: u32| handles[&cell].to_string();
    match name {
        "phandle" => String::new(),
        "interrupt-parent" | "regmap" | "cpu" => path(cells(value)[0]),
        "interrupts-extended" => cells(value)
            .chunks(2)
            .map(|pair| format!("{} {}", path(pair[0]), pair[1]))
            .collect::<Vec<_>>()
            .join(", "),
        _ => format!("{value:02x?}"),
    }
}

#[test]
fn nodes_are_qemus_but_for_what_the_board_has_not() {
    let directory = tempfile::tempdir().unwrap();
    let (theirs, ours) = (qemu(directory.path()), nodes(&tree(4).write().unwrap()));
    let names = |nodes: &Nodes| nodes.keys().cloned().collect::<BTreeSet<String>>();
    let missing: Vec<String> = names(&theirs).difference(&names(&ours)).cloned().collect();
    let absent = ["/flash@20000000", "/fw-cfg@10100000", "/platform-bus@4000000"];
    let absent = [&absent[..], &["/soc/pci@30000000", "/soc/rtc@101000"]].concat();
    assert_eq!(missing, absent);
    let added: Vec<String> = names(&ours).difference(&names(&theirs)).cloned().collect();
    assert_eq!(added, ["/soc/dma@10200000"]);
}

#[test]
fn the_rtu_has_a_node_where_a_board_has_one() {
    let range = map::AddressRange { base: 0x5000_0000, size: 0x9000 };
    let nodes = nodes(&Tree { rtu: Some(range), ..tree(8) }.write().unwrap());
    let node = &nodes["/soc/rtu@50000000"];
    assert_eq!(node["compatible"], b"polytakt,rtu-1\0");
    assert_eq!(cells(&node["reg"]), [0, 0x5000_0000, 0, 0x9000]);
}

#[test]
fn properties_are_qemus_but_for_what_the_harts_have_more_or_less() {
    let directory = tempfile::tempdir().unwrap();
    let (theirs, ours) = (qemu(directory.path()), nodes(&tree(4).write().unwrap()));
    let (mut differences, mut compared) = (BTreeSet::new(), 0);
    for (path, properties) in theirs.iter().filter(|(path, _)| ours.contains_key(*path)) {
        for (name, value) in properties {
            let theirs = meaning(&theirs, name, value);
            let ours = ours[path].get(name).map(|value| meaning(&ours, name, value));
            compared += 1;
            if ours != Some(theirs) {
                differences.insert(name.as_str());
            }
        }
    }
    let known = ["mmu-type", "riscv,event-to-mhpmcounters", "riscv,isa", "rng-seed"];
    assert_eq!(differences.into_iter().collect::<Vec<_>>(), known);
    assert!(compared > 100, "{compared}");
}

/// Whether dtc reads it and complains of nothing but QEMU's name for the MTIMER, whose `mtime` lies
/// behind its comparisons.
fn assert_dtc_reads(blob: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("board.dtb");
    fs::write(&file, blob).unwrap();
    let output = Command::new("dtc").args(["-I", "dtb", "-O", "dts"]).arg(file).output();
    let output = output.expect("dtc runs");
    assert!(output.status.success());
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    let others =
        complaints.lines().filter(|line| !line.contains("/soc/mtimer@2004000: simple-bus"));
    assert_eq!(others.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn dtc_reads_it() {
    assert_dtc_reads(&tree(1).write().unwrap());
    let initrd = Some(0x8400_0000..0x8400_1000);
    assert_dtc_reads(&Tree { arguments: "for=1".into(), initrd, ..tree(128) }.write().unwrap());
    assert_dtc_reads(&Tree { hart_ids: vec![17, 4, 300], ..tree(1) }.write().unwrap());
}

#[test]
fn what_was_asked_for_is_in_it() {
    let asked = Tree {
        hart_ids: vec![17, 4],
        timebase: 1 << 33,
        memory: vec![RAM, 0x1_0000_0000..0x2_0000_0000],
        arguments: "for=5 loud".into(),
        initrd: Some(0x8400_0000..0x8400_1234),
        ..tree(1)
    };
    let nodes = nodes(&asked.write().unwrap());
    let chosen = &nodes["/chosen"];
    assert_eq!(chosen["bootargs"], b"for=5 loud\0");
    assert_eq!(cells(&chosen["linux,initrd-start"]), [0, 0x8400_0000]);
    assert_eq!(cells(&chosen["linux,initrd-end"]), [0, 0x8400_1234]);
    assert_eq!(cells(&nodes["/memory@100000000"]["reg"]), [1, 0, 1, 0]);
    assert_eq!(cells(&nodes["/cpus"]["timebase-frequency"]), [2, 0]);
    assert_eq!(cells(&nodes["/cpus/cpu@11"]["reg"]), [17]);
    let isa = String::from_utf8(nodes["/cpus/cpu@4"]["riscv,isa"].clone()).unwrap();
    for extension in ["zicbom", "zihintpause", "zba", "zbb", "zbs", "sscofpmf", "sstc"] {
        assert!(isa.split(['_', '\0']).any(|name| name == extension), "{extension}");
    }
    let cpu = &nodes["/cpus/cpu@4"];
    assert_eq!(cpu["riscv,isa-base"], b"rv64i\0");
    let list = String::from_utf8(cpu["riscv,isa-extensions"].clone()).unwrap();
    let names: Vec<&str> = list.trim_end_matches('\0').split('\0').collect();
    let letters = ["i", "m", "a", "f", "d", "c"];
    assert_eq!(names[..6], letters);
    let isa = isa.trim_end_matches('\0').trim_start_matches("rv64imafdc_");
    let implied = ["zicntr", "zihpm"];
    assert_eq!(names[6..], isa.split('_').chain(implied).collect::<Vec<_>>());
    assert_eq!(map::UART.base, 0x1000_0000);
}

#[test]
fn eight_kib_are_free_behind_it() {
    let blob = tree(128).write().unwrap();
    let word = |at| u32::from_be_bytes(blob[at..at + 4].try_into().unwrap()) as usize;
    let (total, strings, strings_size) = (word(4), word(12), word(32));
    let (structure, structure_size) = (word(8), word(36));
    assert_eq!(total, blob.len());
    let used = (strings + strings_size).max(structure + structure_size);
    assert!(total - used >= 8192 && blob[used..].iter().all(|&byte| byte == 0));
}

#[test]
fn every_row_of_the_pmu_names_a_selector_and_its_counters() {
    let nodes = nodes(&tree(1).write().unwrap());
    let pmu = &nodes["/pmu"];
    let selectors = cells(&pmu["riscv,event-to-mhpmevent"]);
    let counters = cells(&pmu["riscv,event-to-mhpmcounters"]);
    assert_eq!(selectors.len(), counters.len());
    for (selector, counters) in selectors.chunks(3).zip(counters.chunks(3)) {
        assert_eq!((selector[0], selector[0]), (counters[0], counters[1]));
        assert!(selector[1] == 0 && (1..=9).contains(&selector[2]));
        assert_eq!(counters[2] & !5, 0x7fff8);
    }
    assert_eq!(cells(&pmu["riscv,raw-event-to-mhpmcounters"]), [0, 0, !0, !15, 0x7fff8]);
}

#[test]
fn names_that_no_tree_can_hold_are_errors() {
    assert!(Tree { compatible: "a\0b".into(), ..tree(1) }.write().is_err());
    assert!(Tree { arguments: "a\0b".into(), ..tree(1) }.write().is_err());
}

/// Asks SBI for a counter of each event (PMU extension, function 2) and prints `y` if there is one,
/// `n` if not; then shuts the machine down.
const PROGRAM: &str = "
    .globl _start
_start:
    la s0, events
1:  ld a3, 0(s0)
    ld a4, 8(s0)
    bltz a3, 2f
    li a0, 0
    li a1, 0x7ffff
    li a2, 0
    li a7, 0x504d55
    li a6, 2
    ecall
    seqz a0, a0
    li t0, 'y' - 'n'
    mul a0, a0, t0
    addi a0, a0, 'n'
    li a7, 1
    ecall
    addi s0, s0, 16
    j 1b
2:  li a0, 10
    ecall
    li a7, 0x53525354
    li a6, 0
    li a0, 0
    li a1, 0
    ecall
    j .
    .balign 8
events:
    .dword 0x1, 0, 0x2, 0, 0x4, 0
    .dword 0x10001, 0, 0x10009, 0, 0x10011, 0, 0x10019, 0, 0x10030, 0, 0x10032, 0
    .dword 0x20000, 1, 0x20000, 9, 0x20000, 16
    .dword 0x5, 0, 0x10003, 0
    .dword -1, 0
";

/// QEMU has our devices at our addresses but for the DMA engine, so OpenSBI can be asked there.
#[test]
fn opensbi_finds_its_devices_in_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let script = "ENTRY(_start) SECTIONS { . = 0x80200000; .text : { *(.text) } }";
    fs::write(file("program"), linked(PROGRAM, script)).unwrap();
    let timebase = 10_000_000; // QEMU's, so that nothing waits for longer
    fs::write(file("dtb"), Tree { timebase, ..tree(4) }.write().unwrap()).unwrap();
    let output = Command::new("timeout")
        .args(["-s", "KILL", "120", "qemu-system-riscv64", "-M", "virt,aclint=on"])
        .args(["-cpu", "rv64,h=off,sscofpmf=on", "-smp", "4", "-m", "128M", "-nographic"])
        .args(["-monitor", "none", "-serial", "stdio", "-dtb"])
        .arg(file("dtb"))
        .arg("-kernel")
        .arg(file("program"))
        .stdin(Stdio::null())
        .output()
        .expect("timeout runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "it ends by the finisher\n{said}");
    for (what, device) in [
        ("Platform Name", "riscv-virtio,qemu"),
        ("Platform HART Count", "4"),
        ("Platform IPI Device", "aclint-mswi"),
        ("Platform Timer Device", "aclint-mtimer @ 10000000Hz"),
        ("Platform Console Device", "uart8250"),
        ("Platform Reboot Device", "sifive_test"),
        ("Platform Shutdown Device", "sifive_test"),
        ("Domain0 HARTs", "0*,1*,2*,3*"),
        ("", "yyyyyyyyyyynnn"), // the raw events end at 15; the last two are not counted
    ] {
        let found =
            said.lines().any(|line| line.starts_with(what) && line.trim_end().ends_with(device));
        assert!(found, "{what}: {device}\n{said}");
    }
}
