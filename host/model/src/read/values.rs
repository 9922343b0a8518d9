// SPDX-License-Identifier: Apache-2.0
//! Reads single values: durations, sizes, rates, addresses and numbers, each within its range. Each
//! function returns None for a value that it has reported.

use std::{
    fmt::Display,
    ops::{Range, RangeInclusive},
};

use super::{
    file::{Address, Duration, Rate, Size, Spanned},
    report::Report,
};
use crate::{BadQuantity, Bytes, Code, Hertz, Nanos, Problem};

/// The longest time of a board's timing in cycles, such that sums of many times still fit.
const MAX_CYCLES: u32 = 1_000_000;

/// A duration, which may be zero.
pub fn duration(report: &mut Report, key: &str, value: &Spanned<Duration>) -> Option<Nanos> {
    let parsed = value.get().0.parse();
    parsed.map_err(|why| report.add(bad(key, why, Nanos::UNITS, "20ms", value.span()))).ok()
}

/// A duration longer than zero.
pub fn positive(report: &mut Report, key: &str, value: &Spanned<Duration>) -> Option<Nanos> {
    let nanos = duration(report, key, value)?;
    if nanos == Nanos(0) {
        let message = format!("`{key}` is zero");
        let problem = Problem::new(Code::OutOfRange, message, "choose a longer time");
        report.add(problem.at(value.span(), "no time at all"));
        return None;
    }
    Some(nanos)
}

pub fn size(
    report: &mut Report,
    key: &str,
    value: &Spanned<Size>,
    range: RangeInclusive<Bytes>,
) -> Option<Bytes> {
    let parsed = value.get().0.parse();
    let bytes =
        parsed.map_err(|why| report.add(bad(key, why, Bytes::UNITS, "8KiB", value.span()))).ok()?;
    within(report, key, bytes, range, value.span())
}

pub fn rate(
    report: &mut Report,
    key: &str,
    value: &Spanned<Rate>,
    range: RangeInclusive<Hertz>,
) -> Option<Hertz> {
    let parsed = value.get().0.parse();
    let hertz =
        parsed.map_err(|why| report.add(bad(key, why, Hertz::UNITS, "1GHz", value.span()))).ok()?;
    within(report, key, hertz, range, value.span())
}

pub fn address(report: &mut Report, key: &str, value: &Spanned<Address>) -> Option<u64> {
    let text = &value.get().0;
    let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with(['+', '-']));
    let parsed = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    if parsed.is_none() {
        let message = format!("`{key}` is not an address of 64 bits");
        let help = "write 0x and up to 16 hexadecimal digits, such as \"0x80000000\"";
        let problem = Problem::new(Code::BadQuantity, message, help);
        report.add(problem.at(value.span(), "not an address"));
    }
    parsed
}

/// A number that fits the range.
pub fn number(
    report: &mut Report,
    key: &str,
    value: &Spanned<i64>,
    range: RangeInclusive<u32>,
) -> Option<u32> {
    let range = i64::from(*range.start())..=i64::from(*range.end());
    let number = within(report, key, *value.get(), range, value.span())?;
    u32::try_from(number).ok()
}

/// A number of cycles, which may be 0. A mistake is reported, and replaced by 0.
pub fn cycles(report: &mut Report, key: &str, value: &Spanned<i64>) -> u64 {
    number(report, key, value, 0..=MAX_CYCLES).unwrap_or_default().into()
}

/// A number of cycles that is at least 1.
pub fn some_cycles(report: &mut Report, key: &str, value: &Spanned<i64>) -> u64 {
    number(report, key, value, 1..=MAX_CYCLES).unwrap_or_default().into()
}

/// Finds the value that a word stands for.
pub fn word<T: Copy>(
    report: &mut Report,
    key: &str,
    value: &Spanned<String>,
    words: &[(&str, T)],
) -> Option<T> {
    let found = words.iter().find(|(word, _)| word == value.get());
    if found.is_none() {
        let known = words.iter().map(|(word, _)| *word);
        let help = super::words::suggest(value.get(), known, &format!("`{key}` can be"));
        let problem = Problem::new(Code::UnknownWord, format!("`{key}` has no such value"), help);
        report.add(problem.at(value.span(), "unknown word"));
    }
    found.map(|(_, meaning)| *meaning)
}

/// An address that must be a multiple of a size.
pub fn aligned_address(
    report: &mut Report,
    key: &str,
    value: &Spanned<Address>,
    of: Bytes,
) -> Option<u64> {
    let address = address(report, key, value)?;
    let show = |address| format!("{address:#x}");
    multiple(report, key, address, of, value.span(), show)
}

/// A size that must be a multiple of another size.
pub fn aligned_size(
    report: &mut Report,
    key: &str,
    value: &Spanned<Size>,
    range: RangeInclusive<Bytes>,
    of: Bytes,
) -> Option<Bytes> {
    let size = size(report, key, value, range)?;
    let show = |bytes| Bytes(bytes).to_string();
    multiple(report, key, size.0, of, value.span(), show).map(Bytes)
}

fn multiple(
    report: &mut Report,
    key: &str,
    value: u64,
    of: Bytes,
    span: Range<usize>,
    show: fn(u64) -> String,
) -> Option<u64> {
    if value % of.0 == 0 {
        return Some(value);
    }
    let message = format!("`{key}` is not a multiple of {of}");
    let next = value.saturating_add(of.0 - value % of.0);
    let help = format!("the next one above is {}", show(next));
    report.add(Problem::new(Code::Misaligned, message, help).at(span, "not a multiple"));
    None
}

/// The value if it is a power of two, or 0 if its range allows that.
pub fn power_of_two(report: &mut Report, key: &str, value: u64, span: Range<usize>) -> Option<u64> {
    if value == 0 || value.is_power_of_two() {
        return Some(value);
    }
    let message = format!("`{key}` is not a power of two");
    let below = 1u64 << value.ilog2();
    let help = format!("the next ones are {below} and {}", below.saturating_mul(2));
    report.add(Problem::new(Code::NotPowerOfTwo, message, help).at(span, "not a power of two"));
    None
}

fn within<T: PartialOrd + Display>(
    report: &mut Report,
    key: &str,
    value: T,
    range: RangeInclusive<T>,
    span: Range<usize>,
) -> Option<T> {
    if range.contains(&value) {
        return Some(value);
    }
    let message = format!("`{key}` is out of range");
    let help = format!("choose a value from {} to {}", range.start(), range.end());
    report.add(Problem::new(Code::OutOfRange, message, help).at(span, format!("this is {value}")));
    None
}

fn bad(key: &str, why: BadQuantity, units: &str, example: &str, span: Range<usize>) -> Problem {
    let help = format!("write a number and {units}, such as \"{example}\"");
    let problem = match why {
        BadQuantity::NoUnit => missing_unit(key, units, example),
        BadQuantity::TooLarge => {
            Problem::new(Code::OutOfRange, format!("`{key}` {why}"), "choose a smaller one")
        }
        _ => Problem::new(Code::BadQuantity, format!("`{key}` {why}"), help),
    };
    problem.at(span, why.to_string())
}

pub fn missing_unit(key: &str, units: &str, example: &str) -> Problem {
    let help = format!("add {units}, in quotes: \"{example}\"");
    Problem::new(Code::MissingUnit, format!("`{key}` has no unit"), help)
}
