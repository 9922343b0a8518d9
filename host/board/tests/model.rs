// SPDX-License-Identifier: Apache-2.0
//! Random programs take as many cycles on the machine as `tests/timing/model.py` says.

#[path = "model/agreement.rs"]
mod agreement;
#[path = "model/encode.rs"]
mod encode;
#[path = "model/figures.rs"]
mod figures;
#[path = "model/generate.rs"]
mod generate;
#[path = "model/layout.rs"]
mod layout;
#[path = "common/program.rs"]
#[allow(dead_code)]
mod program;
