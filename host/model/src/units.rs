// SPDX-License-Identifier: Apache-2.0
//! Durations, sizes and rates, with a type for each unit, so that units cannot be mixed up. A value
//! is written with its unit ("20ms", "8KiB", "1GHz"), is read back exactly, and never wraps.

use std::{fmt, str::FromStr};

/// A duration in nanoseconds, at most [`Nanos::MAX`] (about 292 years).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A rate in hertz.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hertz(pub u64);

/// The reason why a text is not a duration, size or rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadQuantity {
    #[error("has no unit")]
    NoUnit,
    #[error("is not a number and a unit")]
    Malformed,
    #[error("is finer than one nanosecond")]
    TooFine,
    #[error("is finer than one hertz")]
    BelowHertz,
    #[error("is too large")]
    TooLarge,
}

impl Nanos {
    /// The longest duration, because the kernel's times are signed 64-bit nanoseconds.
    pub const MAX: Nanos = Nanos(i64::MAX as u64);
    pub const UNITS: &str = "ns, us, ms or s";
    const TABLE: [(&str, u64); 4] =
        [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
}

impl Bytes {
    pub const UNITS: &str = "B, KiB, MiB or GiB";
    const TABLE: [(&str, u64); 4] =
        [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
}

impl Hertz {
    pub const UNITS: &str = "Hz, kHz, MHz or GHz";
    const TABLE: [(&str, u64); 4] =
        [("GHz", 1_000_000_000), ("MHz", 1_000_000), ("kHz", 1_000), ("Hz", 1)];
}

impl FromStr for Nanos {
    type Err = BadQuantity;

    /// Reads "20ms" or "0.5us".
    fn from_str(text: &str) -> Result<Nanos, BadQuantity> {
        let nanos = Nanos(decimal_quantity(text, &Nanos::TABLE)?);
        Some(nanos).filter(|n| *n <= Nanos::MAX).ok_or(BadQuantity::TooLarge)
    }
}

impl FromStr for Hertz {
    type Err = BadQuantity;

    /// Reads "1GHz" or "1.5GHz".
    fn from_str(text: &str) -> Result<Hertz, BadQuantity> {
        let finer = |why| if why == BadQuantity::TooFine { BadQuantity::BelowHertz } else { why };
        decimal_quantity(text, &Hertz::TABLE).map(Hertz).map_err(finer)
    }
}

impl FromStr for Bytes {
    type Err = BadQuantity;

    /// Reads "8KiB".
    fn from_str(text: &str) -> Result<Bytes, BadQuantity> {
        let (number, scale) = split(text, &Bytes::TABLE)?;
        decimal(number)?.checked_mul(scale).map(Bytes).ok_or(BadQuantity::TooLarge)
    }
}

impl fmt::Display for Nanos {
    /// Writes the exact value in the largest unit with a whole part that is not 0: "1.5ms".
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&show_decimal(self.0, &Nanos::TABLE, "0s"))
    }
}

impl fmt::Display for Hertz {
    /// Writes the exact value like that of a duration: "1.5GHz".
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&show_decimal(self.0, &Hertz::TABLE, "0Hz"))
    }
}

impl fmt::Display for Bytes {
    /// Writes the value in the largest unit that divides it: "8KiB".
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let divides = |&&(_, scale): &&(&str, u64)| self.0 != 0 && self.0 % scale == 0;
        let &(unit, scale) = Bytes::TABLE.iter().find(divides).unwrap_or(&("B", 1));
        f.pad(&format!("{}{unit}", self.0 / scale))
    }
}

/// The value of a text whose number may have a decimal point; the units are powers of ten.
fn decimal_quantity(text: &str, table: &[(&str, u64)]) -> Result<u64, BadQuantity> {
    let (number, scale) = split(text, table)?;
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (decimal(whole)?, fraction_of(fraction, scale)?),
        None => (decimal(number)?, 0),
    };
    let sum = whole.checked_mul(scale).and_then(|n| n.checked_add(fraction));
    sum.ok_or(BadQuantity::TooLarge)
}

fn show_decimal(value: u64, table: &[(&str, u64)], zero: &str) -> String {
    let Some(&(unit, scale)) = table.iter().find(|(_, scale)| value >= *scale) else {
        return zero.to_string();
    };
    let width = scale.ilog10() as usize;
    let fraction = match value % scale {
        0 => String::new(),
        rest => format!(".{rest:0width$}").trim_end_matches('0').to_string(),
    };
    format!("{}{fraction}{unit}", value / scale)
}

/// Splits a quantity into the text of its number and the value of its unit.
fn split<'t>(text: &'t str, table: &[(&str, u64)]) -> Result<(&'t str, u64), BadQuantity> {
    let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.is_empty() {
        return Err(BadQuantity::Malformed);
    }
    if unit.is_empty() {
        return Err(BadQuantity::NoUnit);
    }
    let scale = table.iter().find(|(name, _)| *name == unit).ok_or(BadQuantity::Malformed)?.1;
    Ok((number, scale))
}

fn decimal(digits: &str) -> Result<u64, BadQuantity> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(BadQuantity::Malformed);
    }
    digits.parse().map_err(|_| BadQuantity::TooLarge)
}

/// The value of the digits behind the point. Zeros at the end are ignored.
fn fraction_of(digits: &str, scale: u64) -> Result<u64, BadQuantity> {
    let places = scale.ilog10() as usize;
    let significant = digits.trim_end_matches('0');
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(BadQuantity::Malformed);
    }
    if significant.len() > places {
        return Err(BadQuantity::TooFine);
    }
    decimal(&format!("0{significant:0<places$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use BadQuantity::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_exact() {
        for (text, nanos) in [
            ("0s", 0),
            ("1ns", 1),
            ("0.5us", 500),
            ("20ms", 20_000_000),
            ("1.000000001s", 1_000_000_001),
        ] {
            assert_eq!(text.parse(), Ok(Nanos(nanos)), "{text}");
        }
        assert_eq!("9223372036854775807ns".parse(), Ok(Nanos::MAX));
    }

    #[test]
    fn what_is_no_duration_says_why() {
        for (text, why) in [
            ("20", NoUnit),
            ("", Malformed),
            ("ms", Malformed),
            ("-1ms", Malformed),
            ("1.ms", Malformed),
            (".5ms", Malformed),
            ("1.2.3ms", Malformed),
            ("1 ms", Malformed),
            ("1KiB", Malformed),
            ("1.5ns", TooFine),
            ("0.0005us", TooFine),
            ("99999999999s", TooLarge),
            ("99999999999999999999ns", TooLarge),
            ("9223372036854775808ns", TooLarge),
        ] {
            assert_eq!(text.parse::<Nanos>(), Err(why), "{text}");
        }
    }

    #[test]
    fn sizes_are_whole() {
        assert_eq!("8KiB".parse(), Ok(Bytes(8192)));
        assert_eq!("0B".parse(), Ok(Bytes(0)));
        for (text, why) in
            [("8", NoUnit), ("1.5KiB", Malformed), ("8KB", Malformed), ("17179869184GiB", TooLarge)]
        {
            assert_eq!(text.parse::<Bytes>(), Err(why), "{text}");
        }
    }

    #[test]
    fn rates_are_exact() {
        assert_eq!("1.5GHz".parse(), Ok(Hertz(1_500_000_000)));
        assert_eq!("32768Hz".parse(), Ok(Hertz(32_768)));
        for (text, why) in
            [("1000", NoUnit), ("1ghz", Malformed), ("0.5Hz", BelowHertz), ("1e9Hz", Malformed)]
        {
            assert_eq!(text.parse::<Hertz>(), Err(why), "{text}");
        }
        assert_eq!("18446744074GHz".parse::<Hertz>(), Err(TooLarge));
    }

    #[test]
    fn all_are_printed_short() {
        let printed = [0, 999, 1_500, 20_000_000, 1_234_567_890].map(|n| Nanos(n).to_string());
        assert_eq!(printed, ["0s", "999ns", "1.5us", "20ms", "1.23456789s"]);
        let printed = [0, 1000, 8192, 3 << 30].map(|n| Bytes(n).to_string());
        assert_eq!(printed, ["0B", "1000B", "8KiB", "3GiB"]);
        let printed = [0, 999, 32_768, 1_500_000_000].map(|n| Hertz(n).to_string());
        assert_eq!(printed, ["0Hz", "999Hz", "32.768kHz", "1.5GHz"]);
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(nanos in 0..=Nanos::MAX.0, bytes: u64, hertz: u64) {
            prop_assert_eq!(Nanos(nanos).to_string().parse(), Ok(Nanos(nanos)));
            prop_assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
            prop_assert_eq!(Hertz(hertz).to_string().parse(), Ok(Hertz(hertz)));
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = (text.parse::<Nanos>(), text.parse::<Bytes>(), text.parse::<Hertz>());
        }
    }
}
