// SPDX-License-Identifier: Apache-2.0
//! The loop that executes instructions. What is frequent stands here, the rest in `system` and `float`.

use super::bits::*;
use super::instruction::{Instruction, LONG, Op::*, USE_FOLLOWS};
use super::{Class, Decoded, Hart, Pace, Port, Stop, float, system};

/// Why [`run`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// [`Port::retire`] said so.
    Paused,
    /// The instruction at `pc` waits ([`Stop::Wait`]).
    Waiting,
    /// A WFI was executed (`pc` is behind it) and nothing is pending.
    Idle,
}

/// Why the loop over instructions was left.
pub(super) enum LoopExit {
    Stop(Stop),
    /// The instruction is complete and has set `pc`, but what follows must be looked at anew:
    /// interrupts, or the line that instructions come from.
    Resume,
    /// The hart resumes, and has retired the instruction.
    Retired,
    Paused,
    Idle,
}

impl From<Stop> for LoopExit {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// Executes instructions until the port, a wait or a WFI ends it. Interrupts are looked at when it
/// begins and wherever an instruction may have enabled one; when a wire changes, call it anew.
pub fn run<P: Port>(hart: &mut Hart, port: &mut P) -> Pause {
    // A device may have answered the waiting instruction: it is completed before an interrupt.
    let mut once = hart.waiting && hart.interrupt().is_some();
    hart.waiting = false;
    loop {
        if !once {
            hart.take_interrupt(port);
        }
        match execute(hart, port, once) {
            LoopExit::Stop(Stop::Trap(_)) if P::ONLY_AT_ONCE => return Pause::Waiting,
            LoopExit::Stop(Stop::Wait) => {
                hart.waiting = !P::ONLY_AT_ONCE;
                return Pause::Waiting;
            }
            // A trap takes its cycle as an instruction does, else a trap handler that cannot be
            // fetched would never pause.
            LoopExit::Stop(Stop::Trap(exception)) => {
                hart.raise(port, exception);
                if !port.retire(hart) {
                    return Pause::Paused;
                }
            }
            LoopExit::Resume => {
                hart.instret += 1;
                if !port.retire(hart) {
                    return Pause::Paused;
                }
            }
            LoopExit::Retired => {}
            LoopExit::Paused => return Pause::Paused,
            LoopExit::Idle => return Pause::Idle,
        }
        once = false;
    }
}

/// The address behind an instruction at `pc`.
///
/// A branch on purpose: the processor predicts it, and need not wait for this instruction's bytes to
/// know where the next one's are. `black_box` keeps the compiler from computing the length instead.
/// It is worth a third of the speed.
#[inline(always)]
fn behind(pc: u64, i: &Instruction) -> u64 {
    pc.wrapping_add(if i.rs1 & LONG != 0 { 4 } else { std::hint::black_box(2) })
}

/// Executes instructions, or one (`once`). Whoever is called slowly finds the current instruction in `hart.pc`.
#[inline(never)]
fn execute<P: Port>(hart: &mut Hart, port: &mut P, once: bool) -> LoopExit {
    match execute_lines(hart, port, once) {
        Ok(never) => match never {},
        Err(leave) => leave,
    }
}

#[inline(always)]
fn execute_lines<P: Port>(
    hart: &mut Hart,
    port: &mut P,
    once: bool,
) -> Result<std::convert::Infallible, LoopExit> {
    let (mut pc, mut instret) = (hart.pc, hart.instret);
    let pace_now =
        |port: &P| Pace { limit: if once { 0 } else { port.pace().limit }, ..port.pace() };
    let mut pace = pace_now(port);
    // The hart and the port learn what the loop keeps in locals.
    macro_rules! settle {
        () => {
            hart.pc = pc;
            hart.instret = instret;
            port.set_pace(pace);
        };
    }
    // What is rare, and may need or change any of it.
    macro_rules! slowly {
        ($call:expr) => {{
            settle!();
            let result = $call;
            pace = pace_now(port);
            result
        }};
    }
    'lines: loop {
        let line = match port.fetch_at_once(&mut pace, pc) {
            Some(line) => line,
            None => slowly!(port.fetch(hart, pc)?),
        };
        let base = pc & !63;
        while pc & !63 == base {
            // Not a copy: its fields are taken from memory, each when needed.
            let mut i = line.at(pc);
            let completed;
            if i.op == Undecoded {
                completed = match port.complete_at_once(&mut pace, &line, pc) {
                    Some(line) => line,
                    None => slowly!(port.complete(hart, &line, pc)?),
                };
                i = completed.at(pc);
            }
            let mut next = behind(pc, i);
            // The six bits make the index valid without a test.
            macro_rules! x {
                ($register:expr) => {
                    hart.x[($register & 63) as usize]
                };
            }
            macro_rules! rr {
                (|$a:ident, $b:ident| $result:expr) => {{
                    let ($a, $b) = (x!(i.rs1), x!(i.rs2));
                    x!(i.rd) = $result;
                }};
            }
            macro_rules! ri {
                (|$a:ident, $b:ident| $result:expr) => {{
                    let ($a, $b) = (x!(i.rs1), i.imm as i64 as u64);
                    x!(i.rd) = $result;
                }};
            }
            macro_rules! unary {
                (|$a:ident| $result:expr) => {{
                    let $a = x!(i.rs1);
                    x!(i.rd) = $result;
                }};
            }
            macro_rules! branch {
                (|$a:ident, $b:ident| $condition:expr) => {{
                    let ($a, $b) = (x!(i.rs1), x!(i.rs2));
                    if $condition {
                        pace.clock += port.taken_branch();
                        next = pc.wrapping_add(i.imm as i64 as u64);
                    }
                }};
            }
            macro_rules! loaded {
                ($bytes:literal) => {{
                    let address = x!(i.rs1).wrapping_add(i.imm as i64 as u64);
                    match port.load_at_once::<$bytes>(&mut pace, address) {
                        Some(value) => value,
                        None => slowly!(port.load::<$bytes>(hart, address)?),
                    }
                }};
            }
            macro_rules! load_use {
                () => {
                    if i.rs2 & USE_FOLLOWS != 0 {
                        pace.clock += port.load_use();
                    }
                };
            }
            macro_rules! load {
                ($bytes:literal, |$value:ident| $result:expr) => {{
                    let $value = loaded!($bytes);
                    x!(i.rd) = $result;
                    load_use!();
                }};
            }
            macro_rules! store {
                ($bytes:literal, $value:expr) => {{
                    let address = x!(i.rs1).wrapping_add(i.imm as i64 as u64);
                    let value = $value;
                    if !port.store_at_once::<$bytes>(address, value) {
                        slowly!(port.store::<$bytes>(hart, address, value)?);
                    }
                }};
            }
            macro_rules! float_on {
                () => {
                    if hart.float_off() {
                        settle!();
                        return Err(system::illegal(*i).into());
                    }
                };
            }
            macro_rules! float_load {
                ($bytes:literal, |$value:ident| $result:expr) => {{
                    float_on!();
                    let $value = loaded!($bytes);
                    hart.f[usize::from(i.rd & 31)] = $result;
                    hart.float_dirty();
                    load_use!();
                }};
            }
            macro_rules! float_store {
                ($bytes:literal) => {{
                    float_on!();
                    store!($bytes, hart.f[usize::from(i.rs2 & 31)]);
                }};
            }
            macro_rules! charged {
                ($class:ident, $operation:expr) => {{
                    rr!(|a, b| $operation(a, b));
                    pace.clock += port.cost(Class::$class);
                }};
            }
            macro_rules! quick {
                ($class:ident, |$a:ident, $b:ident, $c:ident| $result:expr) => {{
                    if !float::quick(hart, *i, |$a: f64, $b: f64, $c: f64| $result) {
                        slowly!(float::compute(hart, *i)?);
                    }
                    pace.clock += port.cost(Class::$class);
                }};
            }
            match i.op {
                Lui => x!(i.rd) = i.imm as i64 as u64,
                Auipc => x!(i.rd) = pc.wrapping_add(i.imm as i64 as u64),
                Jal => {
                    x!(i.rd) = next;
                    next = pc.wrapping_add(i.imm as i64 as u64);
                    pace.clock += port.taken_branch();
                }
                Jalr => {
                    let target = x!(i.rs1).wrapping_add(i.imm as i64 as u64) & !1;
                    x!(i.rd) = next;
                    next = target;
                    pace.clock += port.taken_branch();
                }
                Beq => branch!(|a, b| a == b),
                Bne => branch!(|a, b| a != b),
                Blt => branch!(|a, b| (a as i64) < b as i64),
                Bge => branch!(|a, b| a as i64 >= b as i64),
                Bltu => branch!(|a, b| a < b),
                Bgeu => branch!(|a, b| a >= b),
                Lb => load!(1, |value| value as i8 as u64),
                Lh => load!(2, |value| value as i16 as u64),
                Lw => load!(4, |value| word(value)),
                Ld => load!(8, |value| value),
                Lbu => load!(1, |value| value),
                Lhu => load!(2, |value| value),
                Lwu => load!(4, |value| value),
                Sb => store!(1, x!(i.rs2)),
                Sh => store!(2, x!(i.rs2)),
                Sw => store!(4, x!(i.rs2)),
                Sd => store!(8, x!(i.rs2)),
                Addi => ri!(|a, b| a.wrapping_add(b)),
                Slti => ri!(|a, b| u64::from((a as i64) < b as i64)),
                Sltiu => ri!(|a, b| u64::from(a < b)),
                Xori => ri!(|a, b| a ^ b),
                Ori => ri!(|a, b| a | b),
                Andi => ri!(|a, b| a & b),
                Slli => ri!(|a, b| a << (b & 63)),
                Srli => ri!(|a, b| a >> (b & 63)),
                Srai => ri!(|a, b| (a as i64 >> (b & 63)) as u64),
                Addiw => ri!(|a, b| word(a.wrapping_add(b))),
                Slliw => ri!(|a, b| word(a << (b & 31))),
                Srliw => ri!(|a, b| word(u64::from(a as u32 >> (b & 31)))),
                Sraiw => ri!(|a, b| (a as i32 >> (b & 31)) as u64),
                Add => rr!(|a, b| a.wrapping_add(b)),
                Sub => rr!(|a, b| a.wrapping_sub(b)),
                Sll => rr!(|a, b| a << (b & 63)),
                Slt => rr!(|a, b| u64::from((a as i64) < b as i64)),
                Sltu => rr!(|a, b| u64::from(a < b)),
                Xor => rr!(|a, b| a ^ b),
                Srl => rr!(|a, b| a >> (b & 63)),
                Sra => rr!(|a, b| (a as i64 >> (b & 63)) as u64),
                Or => rr!(|a, b| a | b),
                And => rr!(|a, b| a & b),
                Addw => rr!(|a, b| word(a.wrapping_add(b))),
                Subw => rr!(|a, b| word(a.wrapping_sub(b))),
                Sllw => rr!(|a, b| word(a << (b & 31))),
                Srlw => rr!(|a, b| word(u64::from(a as u32 >> (b & 31)))),
                Sraw => rr!(|a, b| (a as i32 >> (b & 31)) as u64),
                Mul => charged!(Multiply, u64::wrapping_mul),
                Mulh => charged!(Multiply, mulh),
                Mulhsu => charged!(Multiply, mulhsu),
                Mulhu => charged!(Multiply, mulhu),
                Mulw => charged!(Multiply, |a: u64, b| word(a.wrapping_mul(b))),
                Div => charged!(Divide, div),
                Divu => charged!(Divide, divu),
                Rem => charged!(Divide, rem),
                Remu => charged!(Divide, remu),
                Divw => charged!(Divide, divw),
                Divuw => charged!(Divide, divuw),
                Remw => charged!(Divide, remw),
                Remuw => charged!(Divide, remuw),
                Sh1add => rr!(|a, b| (a << 1).wrapping_add(b)),
                Sh2add => rr!(|a, b| (a << 2).wrapping_add(b)),
                Sh3add => rr!(|a, b| (a << 3).wrapping_add(b)),
                Sh1adduw => rr!(|a, b| (u64::from(a as u32) << 1).wrapping_add(b)),
                Sh2adduw => rr!(|a, b| (u64::from(a as u32) << 2).wrapping_add(b)),
                Sh3adduw => rr!(|a, b| (u64::from(a as u32) << 3).wrapping_add(b)),
                Adduw => rr!(|a, b| u64::from(a as u32).wrapping_add(b)),
                Slliuw => ri!(|a, b| u64::from(a as u32) << (b & 63)),
                Andn => rr!(|a, b| a & !b),
                Orn => rr!(|a, b| a | !b),
                Xnor => rr!(|a, b| !(a ^ b)),
                Clz => unary!(|a| u64::from(a.leading_zeros())),
                Ctz => unary!(|a| u64::from(a.trailing_zeros())),
                Cpop => unary!(|a| u64::from(a.count_ones())),
                Clzw => unary!(|a| u64::from((a as u32).leading_zeros())),
                Ctzw => unary!(|a| u64::from((a as u32).trailing_zeros())),
                Cpopw => unary!(|a| u64::from((a as u32).count_ones())),
                Max => rr!(|a, b| (a as i64).max(b as i64) as u64),
                Maxu => rr!(|a, b| a.max(b)),
                Min => rr!(|a, b| (a as i64).min(b as i64) as u64),
                Minu => rr!(|a, b| a.min(b)),
                Sextb => unary!(|a| a as i8 as u64),
                Sexth => unary!(|a| a as i16 as u64),
                Zexth => unary!(|a| u64::from(a as u16)),
                Rol => rr!(|a, b| a.rotate_left(b as u32 & 63)),
                Ror => rr!(|a, b| a.rotate_right(b as u32 & 63)),
                Rori => ri!(|a, b| a.rotate_right(b as u32 & 63)),
                Rolw => rr!(|a, b| (a as u32).rotate_left(b as u32 & 31) as i32 as u64),
                Rorw => rr!(|a, b| (a as u32).rotate_right(b as u32 & 31) as i32 as u64),
                Roriw => ri!(|a, b| (a as u32).rotate_right(b as u32 & 31) as i32 as u64),
                Orcb => unary!(|a| orcb(a)),
                Rev8 => unary!(|a| a.swap_bytes()),
                Bclr => rr!(|a, b| a & !(1 << (b & 63))),
                Bext => rr!(|a, b| a >> (b & 63) & 1),
                Binv => rr!(|a, b| a ^ 1 << (b & 63)),
                Bset => rr!(|a, b| a | 1 << (b & 63)),
                Bclri => ri!(|a, b| a & !(1 << (b & 63))),
                Bexti => ri!(|a, b| a >> (b & 63) & 1),
                Binvi => ri!(|a, b| a ^ 1 << (b & 63)),
                Bseti => ri!(|a, b| a | 1 << (b & 63)),
                FaddD => quick!(FloatAdd, |a, b, _c| a + b),
                FsubD => quick!(FloatAdd, |a, b, _c| a - b),
                FmulD => quick!(FloatMultiply, |a, b, _c| a * b),
                FmaddD => quick!(FloatFused, |a, b, c| a.mul_add(b, c)),
                Flw => float_load!(4, |value| value | 0xffff_ffff_0000_0000),
                Fld => float_load!(8, |value| value),
                Fsw => float_store!(4),
                Fsd => float_store!(8),
                op if op >= FmaddS => {
                    let class = slowly!(float::compute(hart, *i)?);
                    pace.clock += port.cost(class);
                }
                _ if P::ONLY_AT_ONCE => {
                    settle!();
                    return Err(Stop::Wait.into());
                }
                _ => slowly!(system::execute(hart, port, *i, next)?),
            }
            pc = next;
            instret += 1;
            pace.clock += 1;
            if P::ONLY_AT_ONCE {
                port.completed(pace.began);
            }
            if pace.clock >= pace.limit {
                break 'lines;
            }
            pace.began = pace.clock;
        }
    }
    let go_on = pace.clock < port.pace().limit;
    if go_on {
        pace.began = pace.clock;
    }
    settle!();
    Err(if go_on { LoopExit::Retired } else { LoopExit::Paused })
}
