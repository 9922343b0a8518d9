// SPDX-License-Identifier: Apache-2.0
//! Reads `[[device_region]]`: registers and memory of devices that the application reaches itself.

use super::{file::SystemFile, report::Report, values, words::Names};
use crate::{Bytes, Code, DeviceRegion, Problem, System};

const PAGE: Bytes = Bytes(4096);

pub fn read_all(report: &mut Report, file: &SystemFile, system: &mut System) {
    let names = file.device_region.iter().map(|it| &it.name);
    Names::read(report, "device region", Code::UnknownObject, names);
    for table in &file.device_region {
        let base = values::aligned_address(report, "base", &table.base, PAGE);
        let range = PAGE..=Bytes(64 << 20);
        let size = values::aligned_size(report, "size", &table.size, range, PAGE);
        let (Some(base), Some(size)) = (base, size) else { continue };
        let end = base.saturating_add(size.0);
        let memory = system.board.memory.iter();
        let overlaps = |it: &&crate::Memory| base < it.base + it.size.0 && it.base < end;
        if let Some(memory) = memory.into_iter().find(overlaps) {
            let message = format!("the device region lies in the memory `{}`", memory.name);
            let help = "the kernel maps what it uses of the memory; name a device's addresses";
            let problem = Problem::new(Code::AddressOverlap, message, help);
            report.add(problem.at(table.base.span(), "in memory"));
        }
        let name = table.name.get().0.clone();
        system.device_regions.push(DeviceRegion { name, base, size });
    }
}
