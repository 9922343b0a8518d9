// SPDX-License-Identifier: Apache-2.0
//! The instructions of F and D that compute: registers, rounding modes and flags; the arithmetic is in `ieee`.

use super::convert::{self, Integer};
use super::ieee::{self, Format, Rounding};
use super::instruction::{Instruction, Op, Op::*};
use super::system::illegal;
use super::{Class, Hart, Stop};

/// The most frequent operations at their most frequent: rounding to nearest, FS dirty, the inexact flag
/// set. Then a result well inside the normal range changes nothing but its register, and is the
/// host's. False: nothing was done.
#[inline(always)]
pub(super) fn quick(
    hart: &mut Hart,
    i: Instruction,
    operation: impl FnOnce(f64, f64, f64) -> f64,
) -> bool {
    let field = (i.imm >> 12) as u8 & 7;
    let nearest = field == 0 || (field == 7 && hart.frm == 0);
    if !nearest || !hart.float_is_dirty() || hart.fflags & ieee::INEXACT == 0 {
        return false;
    }
    let [a, b] = [i.rs1, i.rs2].map(|register| f64::from_bits(hart.f[usize::from(register & 31)]));
    let c = f64::from_bits(hart.f[(i.imm as u32 >> 27) as usize]);
    let result = operation(a, b, c);
    if result.settled() {
        hart.f[usize::from(i.rd & 31)] = result.to_bits();
    }
    result.settled()
}

/// What an operation leaves.
enum Outcome {
    /// For the float register.
    Float(u64),
    /// For the integer register.
    Integer(u64),
}
use Outcome::{Float, Integer as Whole};

/// All others.
#[inline(never)]
pub(super) fn compute(hart: &mut Hart, i: Instruction) -> Result<Class, Stop> {
    if hart.float_off() {
        return Err(illegal(i));
    }
    // Where funct3 is no rounding mode its value is below 5 too, and is not used.
    let field = (i.imm >> 12) as u8 & 7;
    let mode = if field == 7 { hart.frm } else { field };
    let mut rounding = Rounding::new(mode, hart.fflags).ok_or_else(|| illegal(i))?;
    let (outcome, class) = operate(hart, i, &mut rounding);
    match outcome {
        Float(value) => {
            hart.f[usize::from(i.rd & 31)] = value;
            hart.float_dirty();
        }
        Whole(value) => hart.x[usize::from(i.rd & 63)] = value,
    }
    if rounding.flags != hart.fflags {
        hart.fflags = rounding.flags;
        hart.float_dirty();
    }
    Ok(class)
}

#[inline(always)]
fn operate(hart: &Hart, i: Instruction, rounding: &mut Rounding) -> (Outcome, Class) {
    let a = hart.f[usize::from(i.rs1 & 31)];
    let b = hart.f[usize::from(i.rs2 & 31)];
    let c = hart.f[(i.imm as u32 >> 27) as usize];
    match i.op {
        FaddD => binary::<f64>(a, b, Class::FloatAdd, |a, b| ieee::add(a, b, rounding)),
        FsubD => binary::<f64>(a, b, Class::FloatAdd, |a, b| ieee::sub(a, b, rounding)),
        FmulD => binary::<f64>(a, b, Class::FloatMultiply, |a, b| ieee::mul(a, b, rounding)),
        FdivD => binary::<f64>(a, b, Class::FloatDivide, |a, b| ieee::div(a, b, rounding)),
        FsqrtD => binary::<f64>(a, b, Class::FloatRoot, |a, _| ieee::sqrt(a, rounding)),
        FaddS => binary::<f32>(a, b, Class::FloatAdd, |a, b| ieee::add(a, b, rounding)),
        FsubS => binary::<f32>(a, b, Class::FloatAdd, |a, b| ieee::sub(a, b, rounding)),
        FmulS => binary::<f32>(a, b, Class::FloatMultiply, |a, b| ieee::mul(a, b, rounding)),
        FdivS => binary::<f32>(a, b, Class::FloatDivide, |a, b| ieee::div(a, b, rounding)),
        FsqrtS => binary::<f32>(a, b, Class::FloatRoot, |a, _| ieee::sqrt(a, rounding)),
        FmaddD => fused::<f64>([a, b, c], [false, false], rounding),
        FmsubD => fused::<f64>([a, b, c], [false, true], rounding),
        FnmsubD => fused::<f64>([a, b, c], [true, false], rounding),
        FnmaddD => fused::<f64>([a, b, c], [true, true], rounding),
        FmaddS => fused::<f32>([a, b, c], [false, false], rounding),
        FmsubS => fused::<f32>([a, b, c], [false, true], rounding),
        FnmsubS => fused::<f32>([a, b, c], [true, false], rounding),
        FnmaddS => fused::<f32>([a, b, c], [true, true], rounding),
        FminD => binary::<f64>(a, b, MOVE, |a, b| ieee::extreme(a, b, false, rounding)),
        FmaxD => binary::<f64>(a, b, MOVE, |a, b| ieee::extreme(a, b, true, rounding)),
        FminS => binary::<f32>(a, b, MOVE, |a, b| ieee::extreme(a, b, false, rounding)),
        FmaxS => binary::<f32>(a, b, MOVE, |a, b| ieee::extreme(a, b, true, rounding)),
        FeqD => compare::<f64>(a, b, |a, b| ieee::equal(a, b, rounding)),
        FltD => compare::<f64>(a, b, |a, b| ieee::less(a, b, false, rounding)),
        FleD => compare::<f64>(a, b, |a, b| ieee::less(a, b, true, rounding)),
        FeqS => compare::<f32>(a, b, |a, b| ieee::equal(a, b, rounding)),
        FltS => compare::<f32>(a, b, |a, b| ieee::less(a, b, false, rounding)),
        FleS => compare::<f32>(a, b, |a, b| ieee::less(a, b, true, rounding)),
        FsgnjS | FsgnjnS | FsgnjxS | FsgnjD | FsgnjnD | FsgnjxD => (sign(i.op, a, b), MOVE),
        FclassS => (Whole(ieee::classify(f32::from_register(a))), MOVE),
        FclassD => (Whole(ieee::classify(f64::from_register(a))), MOVE),
        // The register's lower half, whether it is a boxed single or not.
        FmvXW => (Whole(a as i32 as u64), MOVE),
        FmvXD => (Whole(a), MOVE),
        FmvWX => (Float(hart.x[usize::from(i.rs1 & 31)] | 0xffff_ffff_0000_0000), MOVE),
        FmvDX => (Float(hart.x[usize::from(i.rs1 & 31)]), MOVE),
        FcvtSD => {
            (Float(convert::narrow(f64::from_register(a), rounding).to_register()), Class::FloatAdd)
        }
        FcvtDS => {
            (Float(convert::widen(f32::from_register(a), rounding).to_register()), Class::FloatAdd)
        }
        op => (convert(op, a, hart.x[usize::from(i.rs1 & 31)], rounding), Class::FloatAdd),
    }
}

const MOVE: Class = Class::FloatMove;

#[inline(always)]
fn binary<F: Format>(
    a: u64,
    b: u64,
    class: Class,
    operation: impl FnOnce(F, F) -> F,
) -> (Outcome, Class) {
    let result = operation(F::from_register(a), F::from_register(b));
    (Float(result.to_register()), class)
}

/// Multiplies and adds, with the product and the addend negated or not.
#[inline(always)]
fn fused<F: Format>(
    operands: [u64; 3],
    [product, addend]: [bool; 2],
    rounding: &mut Rounding,
) -> (Outcome, Class) {
    let [a, b, c] = operands.map(F::from_register);
    let a = if product { a.negate() } else { a };
    let c = if addend { c.negate() } else { c };
    (Float(ieee::fused(a, b, c, rounding).to_register()), Class::FloatFused)
}

#[inline(always)]
fn compare<F: Format>(a: u64, b: u64, comparison: impl FnOnce(F, F) -> bool) -> (Outcome, Class) {
    let result = comparison(F::from_register(a), F::from_register(b));
    (Whole(u64::from(result)), MOVE)
}

/// Sign injection. On bits, since a NaN's sign and payload count too.
fn sign(op: Op, a: u64, b: u64) -> Outcome {
    let single = matches!(op, FsgnjS | FsgnjnS | FsgnjxS);
    let (a, b, mask) = match single {
        true => (f32::from_register(a).to_register(), f32::from_register(b).to_register(), 1 << 31),
        false => (a, b, 1 << 63),
    };
    let injected = match op {
        FsgnjS | FsgnjD => b,
        FsgnjnS | FsgnjnD => !b,
        _ => a ^ b,
    };
    Float(a & !mask | injected & mask)
}

fn convert(op: Op, a: u64, x: u64, rounding: &mut Rounding) -> Outcome {
    let (single, double) = (f32::from_register(a), f64::from_register(a));
    match op {
        FcvtWS => Whole(convert::to_integer(single, Integer::W, rounding)),
        FcvtWuS => Whole(convert::to_integer(single, Integer::Wu, rounding)),
        FcvtLS => Whole(convert::to_integer(single, Integer::L, rounding)),
        FcvtLuS => Whole(convert::to_integer(single, Integer::Lu, rounding)),
        FcvtWD => Whole(convert::to_integer(double, Integer::W, rounding)),
        FcvtWuD => Whole(convert::to_integer(double, Integer::Wu, rounding)),
        FcvtLD => Whole(convert::to_integer(double, Integer::L, rounding)),
        FcvtLuD => Whole(convert::to_integer(double, Integer::Lu, rounding)),
        FcvtSW => Float(convert::from_integer::<f32>(x, Integer::W, rounding).to_register()),
        FcvtSWu => Float(convert::from_integer::<f32>(x, Integer::Wu, rounding).to_register()),
        FcvtSL => Float(convert::from_integer::<f32>(x, Integer::L, rounding).to_register()),
        FcvtSLu => Float(convert::from_integer::<f32>(x, Integer::Lu, rounding).to_register()),
        FcvtDW => Float(convert::from_integer::<f64>(x, Integer::W, rounding).to_register()),
        FcvtDWu => Float(convert::from_integer::<f64>(x, Integer::Wu, rounding).to_register()),
        FcvtDL => Float(convert::from_integer::<f64>(x, Integer::L, rounding).to_register()),
        _ => Float(convert::from_integer::<f64>(x, Integer::Lu, rounding).to_register()),
    }
}
