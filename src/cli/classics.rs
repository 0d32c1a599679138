//! The options that choose a classic algorithm instead of the search, for all verbs that have them.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use omnogram::classic::{Algorithm, Classic, Needs};
use omnogram::error::{Error, Kind, Result};

use super::options::number;

/// The default seed.
pub(super) const SEED: u64 = 1;

/// The choice of a classic algorithm, and the seed of the random numbers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Classic algorithms")]
pub(super) struct Classics {
    /// Solve with this published algorithm instead, implemented as published, on one thread; --nodes limits its steps
    #[arg(long, value_name = "NAME", value_parser = named())]
    pub(super) algorithm: Option<Algorithm>,

    /// Seed of the random numbers of --algorithm brute-force, and of count --estimate [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = number)]
    pub(super) seed: Option<u64>,
}

impl Classics {
    /// The chosen classic algorithm, if any. `random`: whether the verb draws random numbers without it.
    pub(super) fn classic(&self, random: bool) -> Result<Option<Classic>> {
        let draws = random || self.algorithm == Some(Algorithm::BruteForce);
        if self.seed.is_some() && !draws {
            let message = "--seed needs --algorithm brute-force or count --estimate, which use random numbers";
            return Err(Error::new(Kind::Usage, message));
        }
        let seed = self.seed.unwrap_or(SEED);
        Ok(self.algorithm.map(|name| Classic::new(name).seed(seed)))
    }
}

/// The parser of the name of an algorithm; the help lists all names.
fn named() -> impl TypedValueParser<Value = Algorithm> {
    let values = Algorithm::ALL
        .map(|algorithm| PossibleValue::new(algorithm.name()).help(algorithm.about()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Algorithm>())
}

/// The number and size of the arrangements that a classic algorithm lists before its first step, in words.
pub(super) fn needs_text(needs: &Needs) -> String {
    format!(
        "{} arrangements before the first step, {}",
        format_number(needs.arrangements, 1e15),
        format_bytes(needs.bytes)
    )
}

/// A number of bytes with its unit: `1.2 MB`.
pub(super) fn format_bytes(bytes: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|&(unit, _)| bytes >= unit) {
        Some((unit, _)) if bytes >= 1e6 * unit => format!("{bytes:.1e} bytes"),
        Some((unit, name)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

/// A whole number in full if it is below `most`, otherwise with two digits.
fn format_number(number: f64, most: f64) -> String {
    if number < most {
        format!("{number}")
    } else {
        format!("{number:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_words() {
        for (number, text) in [
            (16.0, "16 bytes"),
            (1600.0, "1.6 kB"),
            (2.5e9, "2.5 GB"),
            (3.25e14, "325.0 TB"),
            (1e30, "1.0e30 bytes"),
        ] {
            assert_eq!(format_bytes(number), text);
        }
    }
}
