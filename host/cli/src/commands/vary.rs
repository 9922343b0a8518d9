// SPDX-License-Identifier: Apache-2.0
//! The options that vary a run on the board within stated bounds.

use std::ops::RangeInclusive;

use clap::Args;

use crate::board::Variation;

/// The greatest number of seeds of one command.
const SEEDS_MAX: u64 = 100_000;

#[derive(Clone, Debug, Args)]
pub struct VariationOptions {
    /// Cycles by which a seed may delay each request to memory [default: 3]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(..=10_000))]
    jitter: Option<u64>,
    /// The seed of the moments at which the harts begin; 0: all at once [default: as --seed]
    #[arg(long, value_name = "N")]
    skew_seed: Option<u64>,
    /// Cycles by which a hart may begin later than the first [default: 100]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    skew: Option<u64>,
}

impl VariationOptions {
    pub fn with(&self, seed: u64) -> Variation {
        Variation {
            seed,
            jitter: self.jitter.unwrap_or(Variation::JITTER),
            skew_seed: self.skew_seed.unwrap_or(seed),
            skew: self.skew.unwrap_or(Variation::SKEW),
        }
    }

    /// The options that were given, with their values.
    pub fn given(&self) -> Vec<(&'static str, u64)> {
        let all =
            [("--jitter", self.jitter), ("--skew-seed", self.skew_seed), ("--skew", self.skew)];
        all.into_iter().filter_map(|(option, value)| Some((option, value?))).collect()
    }
}

/// Parses seeds: a number such as `7`, or a range such as `1..20`, which includes both ends.
pub fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let number = |text: &str| {
        let help = "write a number such as 7, or first and last as in 1..20";
        text.parse::<u64>().map_err(|_| format!("`{text}` is no seed; {help}"))
    };
    let Some((first, last)) = text.split_once("..") else {
        return number(text).map(|seed| seed..=seed);
    };
    let (first, last) = (number(first)?, number(last)?);
    match last.checked_sub(first) {
        None => Err(format!("{last} comes before {first}; write {last}..{first}")),
        Some(more) if more >= SEEDS_MAX => {
            Err(format!("these are more than {SEEDS_MAX} seeds; run them in parts"))
        }
        Some(_) => Ok(first..=last),
    }
}
