// SPDX-License-Identifier: Apache-2.0
//! The devices register by register, the machine's map, and what boots it.

mod aclint;
mod boot;
mod common;
mod device_tree;
mod dma;
mod fdt_reader;
mod load;
mod platform;
mod plic;
mod route;
mod subnets;
mod uart;
