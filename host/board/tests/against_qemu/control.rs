// SPDX-License-Identifier: Apache-2.0
//! The generator's branches, loops and calls; what stands within one goes a level deeper.

use super::code::Forward;
use super::generator::Generator;
use super::operations::{self, Form};

impl Generator<'_> {
    fn inside(&mut self) {
        self.depth += 1;
        for _ in 0..self.rng.u32(1..5) {
            if self.depth < 3 {
                self.item();
            } else {
                self.one_of(operations::ALU);
            }
        }
        self.depth -= 1;
    }

    pub fn branch(&mut self) {
        let o = operations::BRANCHES[self.rng.usize(0..operations::BRANCHES.len())];
        // A compressed branch does not reach over a long sequence.
        let short = o.form == Form::CBranch;
        let fields = if short { self.any3() << 7 } else { self.any() << 15 | self.any() << 20 };
        let forward = self.code.forward(o.name, o.bits | fields);
        if short {
            self.one_of(operations::ALU);
            self.one_of(operations::MULTIPLY);
        } else {
            self.inside();
        }
        self.code.land(forward);
    }

    pub fn repeat(&mut self) {
        let counter = self.scratch();
        let times = self.rng.i32(2..6);
        self.code.addi(counter, 0, times);
        self.locked |= 1 << counter;
        let start = self.code.here();
        self.inside();
        self.code.addi(counter, counter, -1);
        self.code.backward("bne", 0x1063 | counter << 15, start);
        self.locked &= !(1 << counter);
    }

    /// A call over a jump, in one of the forms that there are, and its return.
    pub fn call(&mut self) {
        let compressed = self.rng.bool() && self.locked >> 1 & 1 == 0;
        let link = if compressed { 1 } else { self.scratch() };
        match (compressed, self.rng.bool()) {
            (false, true) => {
                let to = self.code.forward("jal", 0x6f | link << 7);
                let over = self.code.forward("jal", 0x6f);
                self.code.land(to);
                self.body(link, over);
            }
            _ => {
                let target = self.scratch();
                self.code.auipc(target);
                // From the auipc over itself, addi, call and jump.
                self.code.addi(target, target, 4 + 4 + if compressed { 2 } else { 4 } + 4);
                if compressed {
                    self.code.emit("c.jalr", 0x9002 | target << 7);
                } else {
                    self.code.i("jalr", 0x67, link, target, 0);
                }
                let over = self.code.forward("jal", 0x6f);
                self.body(link, over);
            }
        }
    }

    fn body(&mut self, link: u32, over: Forward) {
        self.locked |= 1 << link;
        self.inside();
        if self.rng.bool() {
            self.code.emit("c.jr", 0x8002 | link << 7);
        } else {
            self.code.i("jalr", 0x67, 0, link, 0);
        }
        self.locked &= !(1 << link);
        self.code.land(over);
        if self.rng.bool() {
            let over = self.code.forward("c.j", 0xa001);
            self.one_of(operations::ALU);
            self.code.land(over);
        }
    }
}
