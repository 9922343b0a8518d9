// SPDX-License-Identifier: Apache-2.0
//! Float arithmetic with exact results and flags.
//!
//! The base is Berkeley SoftFloat. The host computes where both result and flags are certain: it rounds
//! to nearest even as IEEE 754 demands, so its *result* is right in that mode; the flags follow
//! without the host's own flags, since a result well inside the normal range overflows and
//! underflows not, and whether it is inexact is told by the exact error of the operation. That error is
//! again a float (Dekker, Knuth): of a sum by six additions, of product, quotient and root by a fused
//! multiply-add. Where it would fall below the subnormals, SoftFloat computes.

use softfloat_wrapper::{ExceptionFlags, F32, F64, Float, RoundingMode};
use std::ops::{Add, Div, Mul, Sub};

pub(super) const INEXACT: u8 = 1;
pub(super) const INVALID: u8 = 16;

/// Rounding mode and flags of an instruction.
pub struct Rounding {
    mode: RoundingMode,
    pub(super) nearest: bool,
    /// `fflags`, sticky.
    pub flags: u8,
}

impl Rounding {
    /// `mode` as in `frm`: 0 to 4. `flags`: what is in `fflags` already.
    pub fn new(mode: u8, flags: u8) -> Option<Self> {
        let softfloat = match mode {
            0 => RoundingMode::TiesToEven,
            1 => RoundingMode::TowardZero,
            2 => RoundingMode::TowardNegative,
            3 => RoundingMode::TowardPositive,
            4 => RoundingMode::TiesToAway,
            _ => return None,
        };
        Some(Self { mode: softfloat, nearest: mode == 0, flags })
    }

    pub(super) fn inexact(&mut self, inexact: bool) {
        self.flags |= if inexact { INEXACT } else { 0 };
    }

    /// Whether one more inexact result changes nothing.
    fn inexact_already(&self) -> bool {
        self.flags & INEXACT != 0
    }

    pub(super) fn truncates(&self) -> bool {
        matches!(self.mode, RoundingMode::TowardZero)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn soft<T>(&mut self, compute: impl FnOnce(RoundingMode) -> T) -> T {
        let mut flags = ExceptionFlags::default();
        flags.set();
        let result = compute(self.mode);
        flags.get();
        self.flags |= flags.to_bits();
        result
    }
}

/// `f32` and `f64`.
pub trait Format:
    Copy
    + PartialOrd
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    type Soft: Float;
    /// The canonical NaN.
    const NAN: Self;
    fn from_register(register: u64) -> Self;
    fn to_register(self) -> u64;
    fn to_soft(self) -> Self::Soft;
    fn from_soft(soft: Self::Soft) -> Self;
    /// The exponent field, and its value for infinity.
    fn exponent(self) -> u32;
    const EXPONENT_MAX: u32;
    fn negative(self) -> bool;
    fn negate(self) -> Self;
    fn quiet(self) -> bool;
    fn is_nan(self) -> bool;
    fn fused(self, b: Self, c: Self) -> Self;
    fn root(self) -> Self;
    /// Whether `a * b` is exactly `product`; `None`: cannot be said.
    fn product_exact(a: Self, b: Self, product: Self) -> Option<bool>;
    /// To and from the wider format, in which every integer of 32 bits is exact.
    fn widen(self) -> f64;
    fn from_i128(value: i128) -> Self;
    fn to_i128(self) -> i128;

    /// Neither overflow nor underflow is near.
    #[inline(always)]
    fn settled(self) -> bool {
        self.exponent().wrapping_sub(2) < Self::EXPONENT_MAX - 3
    }

    /// Finite, and doubling it is no overflow.
    #[inline(always)]
    fn tame(self) -> bool {
        self.exponent() < Self::EXPONENT_MAX - 1
    }

    fn zero(self) -> bool {
        self == Self::default()
    }

    fn signaling(self) -> bool {
        self.is_nan() && !self.quiet()
    }
}

macro_rules! format {
    ($host:ty, $bits:ty, $soft:ty, $fraction:literal, $nan:literal, $max:literal) => {
        type Soft = $soft;
        const NAN: Self = <$host>::from_bits($nan);
        const EXPONENT_MAX: u32 = $max;

        fn to_soft(self) -> $soft {
            <$soft>::from_bits(self.to_bits())
        }
        fn from_soft(soft: $soft) -> Self {
            Self::from_bits(soft.to_bits())
        }
        #[inline(always)]
        fn exponent(self) -> u32 {
            (self.to_bits() >> $fraction) as u32 & $max
        }
        fn negative(self) -> bool {
            self.is_sign_negative()
        }
        fn negate(self) -> Self {
            -self
        }
        fn quiet(self) -> bool {
            self.to_bits() >> ($fraction - 1) & 1 != 0
        }
        fn is_nan(self) -> bool {
            self.is_nan()
        }
        fn fused(self, b: Self, c: Self) -> Self {
            self.mul_add(b, c)
        }
        fn root(self) -> Self {
            self.sqrt()
        }
        fn from_i128(value: i128) -> Self {
            value as Self
        }
        fn to_i128(self) -> i128 {
            self as i128
        }
    };
}

impl Format for f32 {
    format!(f32, u32, F32, 23, 0x7fc0_0000, 0xff);

    /// A register whose upper half is not all ones holds no single: it reads as NaN.
    #[inline(always)]
    fn from_register(register: u64) -> Self {
        if register >> 32 == 0xffff_ffff { Self::from_bits(register as u32) } else { Self::NAN }
    }
    #[inline(always)]
    fn to_register(self) -> u64 {
        0xffff_ffff_0000_0000 | u64::from(self.to_bits())
    }
    #[inline(always)]
    fn product_exact(a: Self, b: Self, product: Self) -> Option<bool> {
        Some(f64::from(a) * f64::from(b) == f64::from(product))
    }
    fn widen(self) -> f64 {
        f64::from(self)
    }
}

/// The error of a double's operation is exact if the operand or result that it is relative to is
/// above 2^-900: it has 105 bits less at most.
const ERROR_EXACT: u32 = 1023 - 900;

impl Format for f64 {
    format!(f64, u64, F64, 52, 0x7ff8_0000_0000_0000, 0x7ff);

    #[inline(always)]
    fn from_register(register: u64) -> Self {
        Self::from_bits(register)
    }
    #[inline(always)]
    fn to_register(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn product_exact(a: Self, b: Self, product: Self) -> Option<bool> {
        (product.exponent() > ERROR_EXACT).then(|| a.mul_add(b, -product) == 0.0)
    }
    fn widen(self) -> f64 {
        self
    }
}

/// Whether a sum is exact (Knuth's TwoSum; no term may overflow).
#[inline(always)]
fn sum_exact<F: Format>(a: F, b: F, sum: F) -> bool {
    let b_part = sum - a;
    let a_part = sum - b_part;
    ((a - a_part) + (b - b_part)).zero()
}

#[inline(always)]
pub fn add<F: Format>(a: F, b: F, rounding: &mut Rounding) -> F {
    let sum = a + b;
    if rounding.nearest && sum.settled() && a.tame() && b.tame() {
        if !rounding.inexact_already() {
            rounding.inexact(!sum_exact(a, b, sum));
        }
        return sum;
    }
    // A sum of zero is always exact.
    if rounding.nearest && sum.zero() {
        return sum;
    }
    F::from_soft(rounding.soft(|mode| a.to_soft().add(b.to_soft(), mode)))
}

#[inline(always)]
pub fn sub<F: Format>(a: F, b: F, rounding: &mut Rounding) -> F {
    let difference = a - b;
    if rounding.nearest && difference.settled() && a.tame() && b.tame() {
        if !rounding.inexact_already() {
            rounding.inexact(!difference_exact(a, b, difference));
        }
        return difference;
    }
    if rounding.nearest && difference.zero() {
        return difference;
    }
    F::from_soft(rounding.soft(|mode| a.to_soft().sub(b.to_soft(), mode)))
}

#[inline(always)]
fn difference_exact<F: Format>(a: F, b: F, difference: F) -> bool {
    let minus_b_part = difference - a;
    let a_part = difference - minus_b_part;
    ((a - a_part) - (b + minus_b_part)).zero()
}

#[inline(always)]
pub fn mul<F: Format>(a: F, b: F, rounding: &mut Rounding) -> F {
    let product = a * b;
    if rounding.nearest {
        if product.settled() {
            if rounding.inexact_already() {
                return product;
            }
            if let Some(exact) = F::product_exact(a, b, product) {
                rounding.inexact(!exact);
                return product;
            }
        } else if product.zero() && (a.zero() || b.zero()) {
            return product;
        }
    }
    F::from_soft(rounding.soft(|mode| a.to_soft().mul(b.to_soft(), mode)))
}

#[inline(always)]
pub fn div<F: Format>(a: F, b: F, rounding: &mut Rounding) -> F {
    let quotient = a / b;
    if rounding.nearest && quotient.settled() && a.settled() && b.settled() {
        if rounding.inexact_already() {
            return quotient;
        }
        // a is the exact product of quotient and divisor or it is not.
        if let Some(exact) = F::product_exact(quotient, b, a) {
            rounding.inexact(!exact);
            return quotient;
        }
    }
    F::from_soft(rounding.soft(|mode| a.to_soft().div(b.to_soft(), mode)))
}

#[inline(always)]
pub fn sqrt<F: Format>(a: F, rounding: &mut Rounding) -> F {
    if rounding.nearest && a.settled() && !a.negative() {
        let root = a.root();
        if rounding.inexact_already() {
            return root;
        }
        if let Some(exact) = F::product_exact(root, root, a) {
            rounding.inexact(!exact);
            return root;
        }
    }
    F::from_soft(rounding.soft(|mode| a.to_soft().sqrt(mode)))
}

/// `a * b + c`.
#[inline(always)]
pub fn fused<F: Format>(a: F, b: F, c: F, rounding: &mut Rounding) -> F {
    if rounding.nearest && rounding.inexact_already() {
        let result = a.fused(b, c);
        if result.settled() {
            return result;
        }
    } else {
        // An exact product leaves the one rounding, and its flags, to the sum.
        let product = a * b;
        if product.settled() && F::product_exact(a, b, product) == Some(true) {
            return add(product, c, rounding);
        }
    }
    F::from_soft(rounding.soft(|mode| a.to_soft().fused_mul_add(b.to_soft(), c.to_soft(), mode)))
}

/// The lesser (`max`: the greater); a NaN gives way to a number, -0 is less than 0.
pub fn extreme<F: Format>(a: F, b: F, max: bool, rounding: &mut Rounding) -> F {
    if a.signaling() || b.signaling() {
        rounding.flags |= INVALID;
    }
    match (a.is_nan(), b.is_nan()) {
        (true, true) => F::NAN,
        (true, false) => b,
        (false, true) => a,
        _ => {
            let a_less = a < b || (a == b && a.negative());
            if a_less != max { a } else { b }
        }
    }
}

/// Quiet: only signaling NaNs are invalid.
pub fn equal<F: Format>(a: F, b: F, rounding: &mut Rounding) -> bool {
    if a.signaling() || b.signaling() {
        rounding.flags |= INVALID;
    }
    a == b
}

/// `a < b`, or with `or_equal` `a <= b`. Any NaN is invalid.
pub fn less<F: Format>(a: F, b: F, or_equal: bool, rounding: &mut Rounding) -> bool {
    if a.is_nan() || b.is_nan() {
        rounding.flags |= INVALID;
    }
    if or_equal { a <= b } else { a < b }
}

/// `fclass`.
pub fn classify<F: Format>(a: F) -> u64 {
    let positive = match a.exponent() {
        _ if a.signaling() => return 1 << 8,
        _ if a.is_nan() => return 1 << 9,
        exponent if exponent == F::EXPONENT_MAX => 7,
        0 if a.zero() => 4,
        0 => 5,
        _ => 6,
    };
    1 << if a.negative() { 7 - positive } else { positive }
}
