// SPDX-License-Identifier: Apache-2.0
//! The device tree, with the names and bindings of QEMU's machine `virt`.
//!
//! The harts come first, and each handle is its node's first property: OpenSBI looks every hart's
//! handle up again and again, reading the tree from its start, which is most of its boot.

use std::ops::Range;

use vm_fdt::{Error, FdtWriter};

use crate::devices::map::{self, AddressRange};
use crate::isa::CounterEvent;

/// Free bytes behind the tree, for what the firmware adds.
const SLACK: usize = 8 << 10;
const EXTENSIONS: &str = "rv64imafdc_zicbom_zicsr_zifencei_zihintpause_zba_zbb_zbs_sscofpmf_sstc";
/// What `riscv,isa` implies and `riscv,isa-extensions` names: the counters (Linux,
/// Documentation/devicetree/bindings/riscv/extensions.yaml).
const COUNTERS: [&str; 2] = ["zicntr", "zihpm"];
const CACHE_BLOCK: u32 = 64;
/// What serial drivers divide; the modelled line has no speed.
const UART_CLOCK: u32 = 3_686_400;

/// What the tree tells beside the map.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The root's `compatible` and `model`.
    pub compatible: String,
    pub model: String,
    /// `mhartid` by hart index.
    pub hart_ids: Vec<u64>,
    /// The frequency of `time`, in hertz.
    pub timebase: u64,
    pub memory: Vec<Range<u64>>,
    /// The boot arguments; empty: none.
    pub arguments: String,
    /// Where the initial RAM disk was put.
    pub initrd: Option<Range<u64>>,
    /// The programmable counters that the harts have, bit 3 for `mhpmcounter3` and so on.
    pub counters: u32,
    /// The registers of the RTU, on a board that has one.
    pub rtu: Option<AddressRange>,
}

impl Tree {
    /// The blob, with its slack.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        let mut fdt = FdtWriter::new()?;
        node(&mut fdt, "", |fdt| {
            fdt.property_u32("#address-cells", 2)?;
            fdt.property_u32("#size-cells", 2)?;
            fdt.property_string("compatible", &self.compatible)?;
            fdt.property_string("model", &self.model)?;
            self.cpus(fdt)?;
            self.chosen(fdt)?;
            self.memory(fdt)?;
            self.pmu(fdt)?;
            self.power(fdt)?;
            self.soc(fdt)
        })?;
        let mut blob = fdt.finish()?;
        blob.resize(blob.len().next_multiple_of(8) + SLACK, 0);
        let size = blob.len() as u32;
        blob[4..8].copy_from_slice(&size.to_be_bytes()); // the header's `totalsize`
        Ok(blob)
    }

    fn chosen(&self, fdt: &mut FdtWriter) -> Result<(), Error> {
        node(fdt, "chosen", |fdt| {
            fdt.property_string("stdout-path", &format!("/soc/serial@{:x}", map::UART.base))?;
            if !self.arguments.is_empty() {
                fdt.property_string("bootargs", &self.arguments)?;
            }
            if let Some(initrd) = &self.initrd {
                fdt.property_u64("linux,initrd-start", initrd.start)?;
                fdt.property_u64("linux,initrd-end", initrd.end)?;
            }
            Ok(())
        })
    }

    fn memory(&self, fdt: &mut FdtWriter) -> Result<(), Error> {
        for ram in &self.memory {
            node(fdt, &format!("memory@{:x}", ram.start), |fdt| {
                fdt.property_string("device_type", "memory")?;
                fdt.property_array_u64("reg", &[ram.start, ram.end.saturating_sub(ram.start)])
            })?;
        }
        Ok(())
    }

    fn cpus(&self, fdt: &mut FdtWriter) -> Result<(), Error> {
        node(fdt, "cpus", |fdt| {
            fdt.property_u32("#address-cells", 1)?;
            fdt.property_u32("#size-cells", 0)?;
            // A rate beyond 32 bits takes two cells, as the specification of device trees has it.
            match u32::try_from(self.timebase) {
                Ok(timebase) => fdt.property_u32("timebase-frequency", timebase)?,
                Err(_) => fdt.property_u64("timebase-frequency", self.timebase)?,
            }
            for hart in 0..self.hart_ids.len() {
                self.cpu(fdt, hart)?;
            }
            node(fdt, "cpu-map", |fdt| {
                node(fdt, "cluster0", |fdt| {
                    for hart in 0..self.hart_ids.len() {
                        node(fdt, &format!("core{hart}"), |fdt| {
                            fdt.property_u32("cpu", self.cpu_handle(hart))
                        })?;
                    }
                    Ok(())
                })
            })
        })
    }

    fn cpu(&self, fdt: &mut FdtWriter, hart: usize) -> Result<(), Error> {
        let id = self.hart_ids[hart];
        node(fdt, &format!("cpu@{id:x}"), |fdt| {
            fdt.property_phandle(self.cpu_handle(hart))?;
            fdt.property_string("device_type", "cpu")?;
            fdt.property_u32("reg", id as u32)?;
            fdt.property_string("status", "okay")?;
            fdt.property_string("compatible", "riscv")?;
            fdt.property_string("riscv,isa", EXTENSIONS)?;
            fdt.property_string("riscv,isa-base", "rv64i")?;
            fdt.property_string_list("riscv,isa-extensions", extensions())?;
            fdt.property_u32("riscv,cbom-block-size", CACHE_BLOCK)?;
            fdt.property_string("mmu-type", "riscv,sv39")?;
            node(fdt, "interrupt-controller", |fdt| {
                fdt.property_phandle(interrupt_handle(hart))?;
                fdt.property_u32("#address-cells", 0)?;
                fdt.property_u32("#interrupt-cells", 1)?;
                fdt.property_null("interrupt-controller")?;
                fdt.property_string("compatible", "riscv,cpu-intc")
            })
        })
    }

    /// Rows of SBI's events: what `mhpmevent` selects for each, and the counters that can count it;
    /// and of raw events, which are the selectors themselves. (OpenSBI, docs/pmu_support.md.)
    fn pmu(&self, fdt: &mut FdtWriter) -> Result<(), Error> {
        let selectors = SBI_EVENTS.iter().flat_map(|&(sbi, event)| [sbi, 0, event as u32]);
        let counters = SBI_EVENTS.iter().flat_map(|&(sbi, event)| {
            let fixed = match event {
                CounterEvent::Cycles => 1,
                CounterEvent::Instructions => 4,
                _ => 0,
            };
            [sbi, sbi, self.counters | fixed]
        });
        node(fdt, "pmu", |fdt| {
            fdt.property_string("compatible", "riscv,pmu")?;
            fdt.property_array_u32("riscv,event-to-mhpmevent", &selectors.collect::<Vec<_>>())?;
            fdt.property_array_u32("riscv,event-to-mhpmcounters", &counters.collect::<Vec<_>>())?;
            let raw = [0, 0, 0xffff_ffff, 0xffff_fff0, self.counters];
            fdt.property_array_u32("riscv,raw-event-to-mhpmcounters", &raw)
        })
    }

    fn power(&self, fdt: &mut FdtWriter) -> Result<(), Error> {
        for (name, value) in [("poweroff", 0x5555), ("reboot", 0x7777)] {
            node(fdt, name, |fdt| {
                fdt.property_string("compatible", &format!("syscon-{name}"))?;
                fdt.property_u32("regmap", self.finisher_handle())?;
                fdt.property_u32("offset", 0)?;
                fdt.property_u32("value", value)
            })?;
        }
        Ok(())
    }

    fn soc(&self, fdt: &mut FdtWriter) -> Result<(), Error> {
        node(fdt, "soc", |fdt| {
            fdt.property_u32("#address-cells", 2)?;
            fdt.property_u32("#size-cells", 2)?;
            fdt.property_string("compatible", "simple-bus")?;
            fdt.property_null("ranges")?;
            self.aclint(fdt)?;
            self.plic(fdt)?;
            device(fdt, "test", &[map::FINISHER], |fdt| {
                compatible(fdt, &["sifive,test1", "sifive,test0", "syscon"])?;
                fdt.property_phandle(self.finisher_handle())
            })?;
            device(fdt, "serial", &[map::UART], |fdt| {
                fdt.property_string("compatible", "ns16550a")?;
                fdt.property_u32("clock-frequency", UART_CLOCK)?;
                self.interrupt(fdt, map::UART_SOURCE)
            })?;
            device(fdt, "dma", &[map::DMA], |fdt| {
                fdt.property_string("compatible", "polytakt,dma-1")?;
                self.interrupt(fdt, map::DMA_SOURCE)
            })?;
            if let Some(range) = self.rtu {
                device(fdt, "rtu", &[range], |fdt| {
                    fdt.property_string("compatible", "polytakt,rtu-1")
                })?;
            }
            for slot in 0..map::VIRTIO_SLOTS {
                device(fdt, "virtio_mmio", &[map::virtio(slot)], |fdt| {
                    fdt.property_string("compatible", "virtio,mmio")?;
                    self.interrupt(fdt, slot + 1)
                })?;
            }
            Ok(())
        })
    }

    /// OpenSBI takes the registers of MSWI and MTIMER in order of the harts' numbers, from the
    /// lowest; everyone takes those of SSWI in the order of its list.
    fn aclint(&self, fdt: &mut FdtWriter) -> Result<(), Error> {
        let switch = |fdt: &mut FdtWriter, name: &str, range, line| {
            device(fdt, name, &[range], |fdt| {
                fdt.property_string("compatible", &format!("riscv,aclint-{name}"))?;
                fdt.property_array_u32("interrupts-extended", &self.lines(&[line]))?;
                fdt.property_u32("#address-cells", 0)?;
                fdt.property_u32("#interrupt-cells", 0)?;
                fdt.property_null("interrupt-controller")
            })
        };
        switch(fdt, "mswi", map::MSWI, 3)?;
        switch(fdt, "sswi", map::SSWI, 1)?;
        let AddressRange { base, size } = map::MTIMER;
        let time = AddressRange { base: base + map::MTIME_OFFSET, size: size - map::MTIME_OFFSET };
        let compare = AddressRange { base, size: map::MTIME_OFFSET };
        node(fdt, &format!("mtimer@{base:x}"), |fdt| {
            fdt.property_string("compatible", "riscv,aclint-mtimer")?;
            reg(fdt, &[time, compare])?;
            fdt.property_array_u32("interrupts-extended", &self.lines(&[7]))
        })
    }

    fn plic(&self, fdt: &mut FdtWriter) -> Result<(), Error> {
        device(fdt, "plic", &[map::PLIC], |fdt| {
            compatible(fdt, &["sifive,plic-1.0.0", "riscv,plic0"])?;
            fdt.property_u32("riscv,ndev", map::PLIC_SOURCES)?;
            fdt.property_array_u32("interrupts-extended", &self.lines(&[11, 9]))?;
            fdt.property_null("interrupt-controller")?;
            fdt.property_u32("#address-cells", 0)?;
            fdt.property_u32("#interrupt-cells", 1)?;
            fdt.property_phandle(self.plic_handle())
        })
    }

    /// `interrupts-extended` of a controller with these lines to each hart.
    fn lines(&self, lines: &[u32]) -> Vec<u32> {
        let harts = 0..self.hart_ids.len();
        harts
            .flat_map(|hart| lines.iter().flat_map(move |&l| [interrupt_handle(hart), l]))
            .collect()
    }

    fn interrupt(&self, fdt: &mut FdtWriter, source: u32) -> Result<(), Error> {
        fdt.property_u32("interrupts", source)?;
        fdt.property_u32("interrupt-parent", self.plic_handle())
    }

    fn cpu_handle(&self, hart: usize) -> u32 {
        (self.hart_ids.len() + hart) as u32 + 1
    }

    fn plic_handle(&self) -> u32 {
        2 * self.hart_ids.len() as u32 + 1
    }

    fn finisher_handle(&self) -> u32 {
        self.plic_handle() + 1
    }
}

/// SBI's events and the ones of ours that they are: SBI's cache events are
/// 0x10000 + 8 * cache + 2 * operation + (1 for a miss).
const SBI_EVENTS: [(u32, CounterEvent); 9] = [
    (0x00001, CounterEvent::Cycles),
    (0x00002, CounterEvent::Instructions),
    (0x00004, CounterEvent::LlcMiss),     // cache misses
    (0x10001, CounterEvent::L1dMiss),     // L1 D, read, miss
    (0x10009, CounterEvent::L1iMiss),     // L1 I, read, miss
    (0x10011, CounterEvent::LlcMiss),     // last level, read, miss
    (0x10019, CounterEvent::TlbMiss),     // data TLB, read, miss
    (0x10030, CounterEvent::MemoryRead),  // node, read, access
    (0x10032, CounterEvent::MemoryWrite), // node, write, access
];

/// Each extension by its name.
fn extensions() -> Vec<String> {
    let (letters, names) = EXTENSIONS.split_once('_').unwrap_or((EXTENSIONS, ""));
    let letters = letters.trim_start_matches("rv64").chars().map(String::from);
    letters.chain(names.split('_').chain(COUNTERS).map(String::from)).collect()
}

fn interrupt_handle(hart: usize) -> u32 {
    hart as u32 + 1
}

fn node(
    fdt: &mut FdtWriter,
    name: &str,
    fill: impl FnOnce(&mut FdtWriter) -> Result<(), Error>,
) -> Result<(), Error> {
    let begun = fdt.begin_node(name)?;
    fill(fdt)?;
    fdt.end_node(begun)
}

fn device(
    fdt: &mut FdtWriter,
    name: &str,
    ranges: &[AddressRange],
    fill: impl FnOnce(&mut FdtWriter) -> Result<(), Error>,
) -> Result<(), Error> {
    node(fdt, &format!("{name}@{:x}", ranges[0].base), |fdt| {
        reg(fdt, ranges)?;
        fill(fdt)
    })
}

fn reg(fdt: &mut FdtWriter, ranges: &[AddressRange]) -> Result<(), Error> {
    let cells: Vec<u64> = ranges.iter().flat_map(|range| [range.base, range.size]).collect();
    fdt.property_array_u64("reg", &cells)
}

fn compatible(fdt: &mut FdtWriter, names: &[&str]) -> Result<(), Error> {
    fdt.property_string_list("compatible", names.iter().map(|name| name.to_string()).collect())
}
