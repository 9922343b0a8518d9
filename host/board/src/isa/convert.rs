// SPDX-License-Identifier: Apache-2.0
//! Conversions between the float formats and to and from integers; see `ieee` for when the host
//! computes.

use super::ieee::{Format, INVALID, Rounding};
use softfloat_wrapper::Float;

pub fn narrow(a: f64, rounding: &mut Rounding) -> f32 {
    let result = a as f32;
    if rounding.nearest && (result.settled() || a == 0.0) {
        rounding.inexact(f64::from(result) != a);
        return result;
    }
    f32::from_soft(rounding.soft(|mode| a.to_soft().to_f32(mode)))
}

pub fn widen(a: f32, rounding: &mut Rounding) -> f64 {
    if a.signaling() {
        rounding.flags |= INVALID;
    }
    if a.is_nan() { f64::NAN } else { f64::from(a) }
}

/// The integers that floats are converted to and from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    W,
    Wu,
    L,
    Lu,
}

/// Out of range gives the nearest, NaN the greatest. Words come sign-extended, even unsigned ones.
pub fn to_integer<F: Format>(a: F, kind: Integer, rounding: &mut Rounding) -> u64 {
    // Exact, and a NaN stays one, which is all that the conversion asks of it.
    let a = a.widen();
    if rounding.truncates() {
        let (low, high) = match kind {
            Integer::W => (-2147483649.0, 2147483648.0),
            Integer::Wu => (-1.0, 4294967296.0),
            // Below -2^63 the next double is 2048 away: the limit itself is left to SoftFloat.
            Integer::L => (-9223372036854775808.0, 9223372036854775808.0),
            Integer::Lu => (-1.0, 18446744073709551616.0),
        };
        if low < a && a < high {
            rounding.inexact(a.trunc() != a);
            return match kind {
                Integer::W => a as i32 as u64,
                Integer::Wu => a as u32 as i32 as u64,
                Integer::L => a as i64 as u64,
                Integer::Lu => a as u64,
            };
        }
    }
    rounding.soft(|mode| match kind {
        Integer::W => a.to_soft().to_i32(mode, true) as u64,
        Integer::Wu => a.to_soft().to_u32(mode, true) as i32 as u64,
        Integer::L => a.to_soft().to_i64(mode, true) as u64,
        Integer::Lu => a.to_soft().to_u64(mode, true),
    })
}

pub fn from_integer<F: Format>(register: u64, kind: Integer, rounding: &mut Rounding) -> F {
    if rounding.nearest {
        let value = match kind {
            Integer::W => i128::from(register as i32),
            Integer::Wu => i128::from(register as u32),
            Integer::L => i128::from(register as i64),
            Integer::Lu => i128::from(register),
        };
        let result = F::from_i128(value);
        rounding.inexact(result.to_i128() != value);
        return result;
    }
    F::from_soft(rounding.soft(|mode| match kind {
        Integer::W => F::Soft::from_i32(register as i32, mode),
        Integer::Wu => F::Soft::from_u32(register as u32, mode),
        Integer::L => F::Soft::from_i64(register as i64, mode),
        Integer::Lu => F::Soft::from_u64(register, mode),
    }))
}
