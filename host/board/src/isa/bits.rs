// SPDX-License-Identifier: Apache-2.0
//! Integer arithmetic that is more than one operator.

/// The low word's sign-extension.
#[inline(always)]
pub(super) fn word(value: u64) -> u64 {
    value as i32 as u64
}

#[inline(always)]
pub(super) fn mulh(a: u64, b: u64) -> u64 {
    ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
}

#[inline(always)]
pub(super) fn mulhsu(a: u64, b: u64) -> u64 {
    ((i128::from(a as i64) * i128::from(b)) >> 64) as u64
}

#[inline(always)]
pub(super) fn mulhu(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// Division by zero gives all ones and leaves the dividend as the remainder.
#[inline(always)]
pub(super) fn div(a: u64, b: u64) -> u64 {
    if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 }
}

#[inline(always)]
pub(super) fn divu(a: u64, b: u64) -> u64 {
    a.checked_div(b).unwrap_or(u64::MAX)
}

#[inline(always)]
pub(super) fn rem(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { (a as i64).wrapping_rem(b as i64) as u64 }
}

#[inline(always)]
pub(super) fn remu(a: u64, b: u64) -> u64 {
    a.checked_rem(b).unwrap_or(a)
}

/// The word forms: operands are words, and so is the (sign-extended) result. Division of the least
/// word by -1 overflows to itself, as 64 bits show.
#[inline(always)]
pub(super) fn divw(a: u64, b: u64) -> u64 {
    word(div(word(a), word(b)))
}

#[inline(always)]
pub(super) fn divuw(a: u64, b: u64) -> u64 {
    word(divu(u64::from(a as u32), u64::from(b as u32)))
}

#[inline(always)]
pub(super) fn remw(a: u64, b: u64) -> u64 {
    word(rem(word(a), word(b)))
}

#[inline(always)]
pub(super) fn remuw(a: u64, b: u64) -> u64 {
    word(remu(u64::from(a as u32), u64::from(b as u32)))
}

/// Each byte that is not zero becomes all ones.
#[inline(always)]
pub(super) fn orcb(a: u64) -> u64 {
    u64::from_ne_bytes(a.to_ne_bytes().map(|byte| if byte == 0 { 0 } else { 0xff }))
}
